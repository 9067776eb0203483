import { stoppableCall } from '../base/bounded-call.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  Completion,
  OwnedClaim,
  Settlement,
  StoreCallOptions,
} from './claim-store.ts';
import type { Clock } from '../base/clock.ts';
import { decoratedStore } from './decorated-store.ts';
import type { StopSignal } from '../base/stop.ts';
import { givenUp, silentFor } from './store-errors.ts';

/** Longer than a store's own retries take; a call without an answer by then will hardly get one. */
const LONGEST_STORE_CALL_MS = 30_000;

/** Leases are renewed with a third or half of them left: a renewal without an answer must leave time for another. */
const LONGEST_RENEWAL_MS = 10_000;

/**
 * A store each of whose calls ends: with its answer, or after 30 seconds (a renewal: 10) with a retryable `StoreError`
 * (`BATCHLATCH_STORE_SILENT`), whatever client it uses. Claims that come after they are no longer awaited
 * are released: kept, each would look like an attempt that died. Not where the owner asks again: it may run by then.
 */
export function boundedStore(store: ClaimStore, clock: Clock): ClaimStore {
  const bound = <Answer>(
    call: (own: { readonly signal: StopSignal }) => Promise<Answer>,
    options?: StoreCallOptions,
    { limitMs = LONGEST_STORE_CALL_MS, onLate }: Bound<Answer> = {},
  ): Promise<Answer> =>
    stoppableCall(
      (signal) => call({ signal }),
      {
        clock,
        limitMs,
        signal: options?.signal,
        errorOf: (why) => (why === 'silent' ? silentFor(limitMs) : givenUp()),
      },
      onLate,
    );
  async function release(
    requests: readonly ClaimRequest[],
    outcomes: readonly AcquireOutcome[],
  ): Promise<void> {
    const settlements = requests.flatMap(({ key, owner, retentionMs }, index): Settlement[] => {
      const outcome = outcomes[index];
      return outcome?.status === 'acquired'
        ? [{ end: 'release', key, owner, releases: outcome.releases, retentionMs }]
        : [];
    });
    if (settlements.length === 0) return;
    try {
      await store.settle(settlements);
    } catch {
      // Their leases lapse.
    }
  }

  return decoratedStore(store, {
    acquire: (requests, options) =>
      bound(
        (own) => store.acquire(requests, { ...options, ...own }),
        options,
        options?.mayAskAgain === true ? {} : { onLate: (outcomes) => void release(requests, outcomes) },
      ),
    settle: (settlements, options) => bound((own) => store.settle(settlements, own), options),
    extend: (extensions, options) =>
      bound((own) => store.extend(extensions, own), options, { limitMs: LONGEST_RENEWAL_MS }),
    ...(store.start !== undefined && {
      start: (claims: readonly OwnedClaim[], options?: StoreCallOptions) =>
        bound((own) => (store as Required<ClaimStore>).start(claims, own), options),
    }),
    // Its signal ends retries and breaks nothing off: it goes to the store as it was given.
    ...(store.commit !== undefined && {
      commit: (completion: Completion, effect: unknown, options?: StoreCallOptions) =>
        bound(() => (store as Required<ClaimStore>).commit(completion, effect, options)),
    }),
    inspect: (key) => bound(() => store.inspect(key)),
  });
}

interface Bound<Answer> {
  readonly limitMs?: number;
  readonly onLate?: (answer: Answer) => void;
}
