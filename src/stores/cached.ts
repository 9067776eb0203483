import QuickLRU from 'quick-lru';
import { type Clock, systemClock } from '../base/clock.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  SettleOutcome,
  Settlement,
} from '../claims/claim-store.ts';
import { passOn } from '../claims/pass-on.ts';
import { asError } from '../claims/store-errors.ts';
import { anInteger, checkOptionsOf, objectWith, required } from '../options/check-options.ts';
import { aStore } from '../options/domain-checks.ts';

/** How much `cached()` remembers. */
export interface CachedOptions {
  /** How many completions to remember, the least recently used go first; at times twice as many are held. */
  readonly max: number;
  /** For tests. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>;
}

/** A completion as the store has it. JSON text and numbers, which no caller can change for the next one. */
interface Remembered extends ShortResult {
  readonly completedAt?: number;
  readonly expiresAt: number;
  /** A hash for which the store takes this completion; undefined: none was asked for. */
  readonly payloadHash?: string;
}

/** The longest result that is kept here, in UTF-16 units. A longer one is read from the store. */
const LONGEST_RESULT = 16_384;

/**
 * Returns a store that remembers completed keys in this process, so that their duplicates take no request. It
 * remembers a completion that `store` stored or reported, until the row expires. A request with another
 * payload, or for a result of more than 16,384 characters, goes to `store`. If a person changes or forgets a
 * completed claim, this process still treats it as completed until then. Throws a `ConfigurationError` for
 * invalid options.
 *
 * @param store The store behind the cache.
 * @param options How many completions are kept.
 *
 * @example
 * createBatchProcessor(handler, { store: cached(dynamoDBStore({ tableName }), { max: 1_000 }) });
 */
export function cached(store: ClaimStore, options: CachedOptions): ClaimStore {
  checkOptionsOf('cached', { store }, { store: aStore() });
  checkOptionsOf('cached', options, { max: required(anInteger(1)), clock: objectWith('now') });
  const { max, clock = systemClock } = options;
  const completions = new QuickLRU<string, Remembered>({ maxSize: max });
  /** The payloads of what this process has claimed and not settled: a settlement does not name them. */
  const payloadHashes = new QuickLRU<string, string>({ maxSize: max });

  function find({ key, payloadHash }: ClaimRequest, wantsResults: boolean): AcquireOutcome | undefined {
    const found = completions.get(key);
    if (found === undefined) return undefined;
    if (found.expiresAt <= clock.now()) {
      completions.delete(key);
      return undefined;
    }
    if (payloadHash !== undefined && payloadHash !== found.payloadHash) return undefined;
    const { payloadHash: _hash, isWhole, ...completion } = found;
    if (wantsResults && !isWhole) return undefined;
    return { status: 'duplicate', ...completion };
  }

  function noteAcquire(
    { key, owner, payloadHash }: ClaimRequest,
    outcome: AcquireOutcome | undefined,
    wantsResults: boolean,
  ): void {
    if (outcome?.status === 'acquired') {
      completions.delete(key);
      if (payloadHash !== undefined) payloadHashes.set(ownerOf(key, owner), payloadHash);
    }
    if (outcome?.status !== 'duplicate' || outcome.expiresAt === undefined) return;
    const { status: _status, result, expiresAt, ...rest } = outcome;
    completions.set(key, {
      ...rest,
      ...shortResult(result, wantsResults),
      expiresAt,
      ...(payloadHash !== undefined && { payloadHash }),
    });
  }

  function noteSettle(
    settlement: Settlement,
    outcome: SettleOutcome | undefined,
    since: number,
    dropped: Dropped,
  ): void {
    const { key, owner, end } = settlement;
    if (typeof outcome === 'object') return; // nothing is known; it may be sent again
    const payloadHash = payloadHashes.get(ownerOf(key, owner));
    payloadHashes.delete(ownerOf(key, owner));
    if (outcome !== 'stored' || end !== 'complete') return;
    completions.set(key, {
      completedAt: since,
      expiresAt: since + settlement.retentionMs, // the row was written no earlier
      ...shortResult(dropped.has(settlement) ? undefined : settlement.result, true),
      ...(payloadHash !== undefined && { payloadHash }),
    });
  }

  const ownCommit: NonNullable<ClaimStore['commit']> = async (completion, effect, options) => {
    const since = clock.now();
    const dropped: Dropped = new Set();
    const told = watched(completion, dropped);
    const outcome = await (store as Required<ClaimStore>).commit(told, effect, options);
    if (outcome === 'stored') noteSettle(completion, outcome, since, dropped);
    return outcome;
  };

  return {
    ...passOn(store),
    ...(store.commit !== undefined && { commit: ownCommit }),
    async acquire(requests, options) {
      const wantsResults = options?.wantsResults === true;
      const outcomes = requests.map((request) => find(request, wantsResults));
      const open = requests.filter((_, index) => outcomes[index] === undefined);
      if (open.length === 0) return outcomes as AcquireOutcome[];
      const answers = await answersOf(open);
      open.forEach((request, index) => noteAcquire(request, answers[index], wantsResults));
      let next = 0;
      return outcomes.map((outcome) => outcome ?? (answers[next++] as AcquireOutcome));

      /** Remembered outcomes are kept if the store fails for the rest. */
      async function answersOf(asked: readonly ClaimRequest[]): Promise<AcquireOutcome[]> {
        if (asked.length === requests.length) return store.acquire(requests, options);
        try {
          return await store.acquire(asked, options);
        } catch (thrown) {
          return asked.map(() => ({ status: 'error', error: asError(thrown) }));
        }
      }
    },
    async settle(settlements, options) {
      const since = clock.now();
      const dropped: Dropped = new Set();
      const told = settlements.map((settlement) => watched(settlement, dropped));
      const outcomes = await store.settle(told, options);
      settlements.forEach((settlement, index) => noteSettle(settlement, outcomes[index], since, dropped));
      return outcomes;
    },
  };
}

/** Settlements whose results turned out to be left out of the store. */
type Dropped = Set<Settlement>;

/** The settlement, which notes in `dropped` that its result was left out. */
function watched<Ended extends Settlement>(settlement: Ended, dropped: Dropped): Ended {
  if (settlement.end !== 'complete' || settlement.onResultDropped === undefined) return settlement;
  const { onResultDropped } = settlement;
  return {
    ...settlement,
    onResultDropped(error: unknown) {
      dropped.add(settlement);
      onResultDropped(error);
    },
  };
}

interface ShortResult {
  readonly result?: string;
  /** False: there may be a result that is not remembered here. */
  readonly isWhole: boolean;
}

/** `isAll`: a missing result means there was none. */
function shortResult(result: string | undefined, isAll: boolean): ShortResult {
  if (result === undefined) return { isWhole: isAll };
  return result.length > LONGEST_RESULT ? { isWhole: false } : { result, isWhole: true };
}

function ownerOf(key: string, owner: string): string {
  return `${owner} ${key}`;
}
