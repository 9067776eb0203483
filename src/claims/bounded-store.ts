import { boundedCall } from './bounded-call.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  Completion,
  OwnedClaim,
  Settlement,
  StoreCallOptions,
} from './claim-store.ts';
import type { CommitItem } from './commit.ts';
import type { Clock } from './clock.ts';
import { decoratedStore } from './decorated-store.ts';
import { StoreError } from './errors.ts';

/** Longer than a store takes that tries again by itself; a call that is still silent then will hardly answer. */
const LONGEST_STORE_CALL_MS = 30_000;

/**
 * A store each of whose calls ends: with its answer, or after 30 seconds with a retryable `StoreError`
 * (`BATCHLATCH_STORE_SILENT`), whatever client is behind it. Claims that come after nobody waits for them any more
 * are released: kept, each would look like an attempt that died.
 */
export function boundedStore(store: ClaimStore, clock: Clock): ClaimStore {
  const bound = <Answer>(
    call: (options: StoreCallOptions) => Promise<Answer>,
    options?: StoreCallOptions,
    onLate?: (answer: Answer) => void,
  ): Promise<Answer> =>
    boundedCall(
      (signal) => call({ signal }),
      { clock, limitMs: LONGEST_STORE_CALL_MS, signal: options?.signal, errorOf },
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
        (own) => store.acquire(requests, own),
        options,
        (outcomes) => void release(requests, outcomes),
      ),
    settle: (settlements, options) => bound((own) => store.settle(settlements, own), options),
    extend: (extensions, options) => bound((own) => store.extend(extensions, own), options),
    ...(store.start !== undefined && {
      start: (claims: readonly OwnedClaim[], options?: StoreCallOptions) =>
        bound((own) => (store as Required<ClaimStore>).start(claims, own), options),
    }),
    // Its signal ends retries and breaks nothing off: it goes to the store as it was given.
    ...(store.commit !== undefined && {
      commit: (completion: Completion, items: readonly CommitItem[], options?: StoreCallOptions) =>
        bound(() => (store as Required<ClaimStore>).commit(completion, items, options)),
    }),
    inspect: (key) => bound(() => store.inspect(key)),
  });
}

function errorOf(why: 'silent' | 'given-up'): StoreError {
  return new StoreError(
    why === 'silent'
      ? `The claim store did not answer within ${LONGEST_STORE_CALL_MS / 1_000} seconds`
      : 'The claim store had not answered when the answer of the invocation had to leave',
    { isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' },
  );
}
