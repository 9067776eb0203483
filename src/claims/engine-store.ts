import { stoppableCall } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import { hasCode } from '../base/errors.ts';
import { RENEWAL_MS, STORE_CALL_MS } from '../base/limits.ts';
import type { StopSignal } from '../base/stop.ts';
import type {
  AcquireOutcome,
  ClaimRequest,
  ClaimStore,
  Completion,
  OwnedClaim,
  SettleOutcome,
  Settlement,
  StoreCallOptions,
} from './claim-store.ts';
import { settleOrFail, unansweredByStore } from './store-errors.ts';
import { storeData } from './pass-on.ts';

/**
 * A store as the engine uses it, whatever client it has.
 *
 * - Each call ends: with its answer, or after 30 seconds (a renewal: 10) with a retryable `StoreError`
 *   (`BATCHLATCH_STORE_SILENT`).
 * - Claims that arrive when they are no longer awaited are released: kept, each would look like an attempt that
 *   died. They are kept where the owner asks again: it may run by then.
 * - A completion is stored without its result where the row has no room for it and the settlement allows that
 *   (`onResultDropped`). The effect behind it is done: a completion that is not stored would only run it again.
 */
export function engineStore(store: ClaimStore, clock: Clock): ClaimStore {
  return {
    ...storeData(store),

    acquire: (requests, options) =>
      bound(
        (signal) => store.acquire(requests, { ...options, signal }),
        options,
        STORE_CALL_MS,
        options?.mayAskAgain === true ? undefined : (outcomes) => void release(requests, outcomes),
      ),

    async settle(settlements, options) {
      const outcomes = await settle(settlements, options);
      if (areAllStored(outcomes)) return outcomes;
      const smaller = outcomes.map((outcome, index) => withoutResult(settlements[index], outcome));
      const again = smaller.filter((settlement) => settlement !== undefined);
      if (again.length === 0) return outcomes;
      const answers = await settleOrFail(again, settle(again, options));
      return outcomes.map((outcome, index) => {
        if (smaller[index] === undefined) return outcome;
        const answer = answers.shift() ?? outcome;
        if (answer === 'stored') tell(settlements[index], (outcome as { error: Error }).error);
        return answer;
      });
    },

    extend: (extensions, options) =>
      bound((signal) => store.extend(extensions, { signal }), options, RENEWAL_MS),

    ...(store.start !== undefined && {
      start: (claims: readonly OwnedClaim[], options?: StoreCallOptions) =>
        bound((signal) => (store as Required<ClaimStore>).start(claims, { signal }), options),
    }),

    ...(store.commit !== undefined && {
      async commit(completion: Completion, effect: unknown, options?: StoreCallOptions) {
        const outcome = await commit(completion, effect, options);
        if (typeof outcome === 'string' || !('error' in outcome)) return outcome;
        const smaller = withoutResult(completion, outcome);
        if (smaller === undefined) return outcome;
        const again = await commit(smaller, effect, options);
        if (again === 'stored') tell(completion, outcome.error);
        return again;
      },
    }),

    inspect: (key) => bound(() => store.inspect(key)),
  };

  function bound<Answer>(
    call: (signal: StopSignal) => Promise<Answer>,
    options?: StoreCallOptions,
    limitMs: number = STORE_CALL_MS,
    onLate?: (answer: Answer) => void,
  ): Promise<Answer> {
    const errorOf = (why: 'silent' | 'given-up'): Error => unansweredByStore(why, limitMs);
    return stoppableCall(call, { clock, limitMs, signal: options?.signal, errorOf }, onLate);
  }

  function settle(settlements: readonly Settlement[], options?: StoreCallOptions): Promise<SettleOutcome[]> {
    return bound((signal) => store.settle(settlements, { signal }), options);
  }

  /** Its signal ends retries and breaks nothing off: it goes to the store as it was given. */
  function commit(
    completion: Completion,
    effect: unknown,
    options?: StoreCallOptions,
  ): ReturnType<Required<ClaimStore>['commit']> {
    return bound(() => (store as Required<ClaimStore>).commit(completion, effect, options));
  }

  /** Gives claims back that came too late. */
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
}

function areAllStored(outcomes: readonly SettleOutcome[]): boolean {
  for (const outcome of outcomes) if (outcome !== 'stored') return false;
  return true;
}

/** The settlement without its result; undefined where nothing is to be left out. */
function withoutResult(settlement: Settlement | undefined, outcome: SettleOutcome): Completion | undefined {
  if (typeof outcome === 'string' || !hasCode(outcome.error, 'BATCHLATCH_ITEM_TOO_LARGE')) return undefined;
  if (settlement?.end !== 'complete' || settlement.result === undefined) return undefined;
  // rule: dropped-results
  if (settlement.onResultDropped === undefined) return undefined;
  const { result: _tooLarge, ...rest } = settlement;
  return rest;
}

function tell(settlement: Settlement | undefined, error: unknown): void {
  try {
    if (settlement?.end === 'complete') settlement.onResultDropped?.(error);
  } catch {
    // An error of the callback must not keep the completion from being stored.
  }
}
