import QuickLRU from 'quick-lru';
import type { AcquireOutcome, ClaimRequest, ClaimStore, SettleOutcome, Settlement } from './claim-store.ts';
import type { Clock } from './clock.ts';
import { decoratedStore } from './decorated-store.ts';

/** How much the cache of completions remembers. */
export interface CompletionCacheOptions {
  /** How many completions to remember, the least recently used go first; at times twice as many are held. */
  readonly max: number;
}

/** A completion as the store has it. JSON text and numbers: nothing that a caller could change for the next. */
interface Completion {
  readonly result?: string;
  readonly completedAt?: number;
  readonly expiresAt: number;
  /** A hash for which the store takes this completion; undefined: none was asked for. */
  readonly payloadHash?: string;
}

/**
 * Remembers, in this process, which keys are completed, so that their duplicates take no request. Only what the
 * store has said: a completion that it stored for this process, and its own word `duplicate`. No longer than the
 * row lives, never while it is in progress, and never for another payload than the one the store has accepted:
 * such requests go to the store. What a person changes in the table, it does not notice until then.
 */
export function withCompletionCache(
  store: ClaimStore,
  { max, clock }: CompletionCacheOptions & { readonly clock: Pick<Clock, 'now'> },
): ClaimStore {
  const completions = new QuickLRU<string, Completion>({ maxSize: max });
  /** The payloads of what this process has claimed and not settled: a settlement does not name them. */
  const payloadHashes = new QuickLRU<string, string>({ maxSize: max });

  function find({ key, payloadHash }: ClaimRequest): AcquireOutcome | undefined {
    const found = completions.get(key);
    if (found === undefined) return undefined;
    if (found.expiresAt <= clock.now()) {
      completions.delete(key);
      return undefined;
    }
    if (payloadHash !== undefined && payloadHash !== found.payloadHash) return undefined;
    const { payloadHash: _hash, ...completion } = found;
    return { status: 'duplicate', ...completion };
  }

  function noteAcquire({ key, owner, payloadHash }: ClaimRequest, outcome: AcquireOutcome | undefined): void {
    if (outcome?.status === 'acquired') {
      completions.delete(key);
      if (payloadHash !== undefined) payloadHashes.set(ownerOf(key, owner), payloadHash);
    }
    if (outcome?.status !== 'duplicate' || outcome.expiresAt === undefined) return;
    const { status: _status, expiresAt, ...rest } = outcome;
    completions.set(key, { ...rest, expiresAt, ...(payloadHash !== undefined && { payloadHash }) });
  }

  function noteSettle(settlement: Settlement, outcome: SettleOutcome | undefined, since: number): void {
    const { key, owner, end } = settlement;
    if (typeof outcome === 'object') return; // nothing is known; it may be sent again
    const payloadHash = payloadHashes.get(ownerOf(key, owner));
    payloadHashes.delete(ownerOf(key, owner));
    if (outcome !== 'stored' || end !== 'complete') return;
    completions.set(key, {
      ...(settlement.result !== undefined && { result: settlement.result }),
      ...(payloadHash !== undefined && { payloadHash }),
      completedAt: since,
      expiresAt: since + settlement.retentionMs, // the row was written no earlier
    });
  }

  const ownCommit: NonNullable<ClaimStore['commit']> = async (completion, effect, options) => {
    const since = clock.now();
    const outcome = await (store as Required<ClaimStore>).commit(completion, effect, options);
    if (outcome === 'stored') noteSettle(completion, outcome, since);
    return outcome;
  };

  return decoratedStore(store, {
    ...(store.commit !== undefined && { commit: ownCommit }),
    async acquire(requests, options) {
      const outcomes = requests.map(find);
      const open = requests.filter((_, index) => outcomes[index] === undefined);
      if (open.length === 0) return outcomes as AcquireOutcome[];
      const answers = await answersOf(open);
      open.forEach((request, index) => noteAcquire(request, answers[index]));
      let next = 0;
      return outcomes.map((outcome) => outcome ?? (answers[next++] as AcquireOutcome));

      /** What is remembered stays so, where the store fails for the rest. */
      async function answersOf(asked: readonly ClaimRequest[]): Promise<AcquireOutcome[]> {
        if (asked.length === requests.length) return store.acquire(requests, options);
        try {
          return await store.acquire(asked, options);
        } catch (thrown) {
          const error = thrown instanceof Error ? thrown : new Error(String(thrown));
          return asked.map(() => ({ status: 'error', error }));
        }
      }
    },
    async settle(settlements, options) {
      const since = clock.now();
      const outcomes = await store.settle(settlements, options);
      settlements.forEach((settlement, index) => noteSettle(settlement, outcomes[index], since));
      return outcomes;
    },
  });
}

function ownerOf(key: string, owner: string): string {
  return `${owner} ${key}`;
}
