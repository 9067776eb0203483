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
  SettleOutcome,
  Settlement,
  StoreCallOptions,
} from './claim-store.ts';
import type { CommitOutcome } from './commit.ts';
import { storeData } from './pass-on.ts';
import { acquireOutcomes, settleOrFail, settleOutcomes, unansweredByStore } from './store-errors.ts';

/**
 * Wraps a store for the engine:
 *
 * - Every claim, settlement and extension has an outcome; see `acquireOutcomes`.
 * - Every call ends: with its answer, or after 30 seconds (renewals: 10) with a retryable `StoreError`
 *   (`BATCHLATCH_STORE_SILENT`).
 * - Claims that arrive after their call was given up are released: kept, each would look like a crash. They
 *   are kept if the owner asks again, because it may run by then.
 * - A completion whose result does not fit is stored without it if the settlement allows that
 *   (`onResultDropped`). Its effect is done: without a completion it would only run again.
 * - A commit gets the caller's signal itself: it ends retries and does not interrupt the transaction.
 */
export function engineStore(store: ClaimStore, clock: Clock): ClaimStore {
  const { start, commit } = store;
  return {
    acquire: (requests, options) =>
      bound(
        async (signal) =>
          acquireOutcomes(await store.acquire(requests, { ...options, signal }), requests.length),
        options,
        STORE_CALL_MS,
        options?.mayAskAgain === true ? undefined : (outcomes) => void release(store, requests, outcomes),
      ),
    settle: (settlements, options) =>
      settleInRoom(settlements, (some) => bound((signal) => store.settle(some, { signal }), options)),
    extend: (extensions, options) =>
      bound(
        async (signal) => settleOutcomes(await store.extend(extensions, { signal }), extensions.length),
        options,
        RENEWAL_MS,
      ),
    inspect: (key) => bound(() => store.inspect(key)),
    ...storeData(store),
    ...(start && {
      start: (claims, options) => bound((signal) => start.call(store, claims, { signal }), options),
    }),
    ...(commit && {
      commit: (completion, effect, options) =>
        commitInRoom(completion, (one) => bound(() => commit.call(store, one, effect, options), options)),
    }),
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
}

async function release(
  store: ClaimStore,
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
    // They lapse with their leases.
  }
}

/** Settles; repeats completions whose result does not fit, without it. */
async function settleInRoom(
  settlements: readonly Settlement[],
  settle: (settlements: readonly Settlement[]) => Promise<SettleOutcome[]>,
): Promise<SettleOutcome[]> {
  const given = await settle(settlements);
  if (areAllStored(given, settlements.length)) return given;
  const outcomes = settleOutcomes(given, settlements.length);
  const smaller = outcomes.map((outcome, index) => withoutResult(settlements[index], outcome));
  const again = smaller.filter((settlement) => settlement !== undefined);
  if (again.length === 0) return outcomes;
  const answers = settleOutcomes(await settleOrFail(again, settle(again)), again.length);
  return outcomes.map((outcome, index) => {
    if (smaller[index] === undefined) return outcome;
    const answer = answers.shift() as SettleOutcome;
    if (answer === 'stored') tell(settlements[index], (outcome as { error: Error }).error);
    return answer;
  });
}

/** Commits; repeats a completion whose result does not fit, without it. */
async function commitInRoom(
  completion: Completion,
  commit: (completion: Completion) => Promise<CommitOutcome>,
): Promise<CommitOutcome> {
  const outcome = await commit(completion);
  if (typeof outcome === 'string' || !('error' in outcome)) return outcome;
  const smaller = withoutResult(completion, outcome);
  if (smaller === undefined) return outcome;
  const again = await commit(smaller);
  if (again === 'stored') tell(completion, outcome.error);
  return again;
}

function areAllStored(outcomes: readonly SettleOutcome[], count: number): boolean {
  if (!Array.isArray(outcomes) || outcomes.length !== count) return false;
  for (const outcome of outcomes) if (outcome !== 'stored') return false;
  return true;
}

/** Returns the completion without its result; undefined if that is not allowed or not the problem. */
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
    // The callback's error must not prevent the completion.
  }
}
