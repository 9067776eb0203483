import type { AcquireOutcome, SettleOutcome, Settlement } from './claim-store.ts';
import { safeString, StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';

/** Returns an outcome for each of `count` requests. A store of the user may answer with anything. */
export function acquireOutcomes(
  given: readonly (AcquireOutcome | undefined)[] | undefined,
  count: number,
): AcquireOutcome[] {
  const outcomes: AcquireOutcome[] = [];
  for (let index = 0; index < count; index += 1) {
    const outcome = given?.[index];
    // Without a fencing token, the end of the attempt would not be stored.
    const isAcquired = outcome?.status === 'acquired' && outcome.attempt > 0;
    outcomes.push(isAcquired || isRefusal(outcome) ? outcome : { status: 'error', error: missingOutcome() });
  }
  return outcomes;
}

const REFUSALS = new Set<unknown>(['duplicate', 'conflict', 'parked', 'mismatch']);

function isRefusal(outcome: AcquireOutcome | undefined): outcome is AcquireOutcome {
  return outcome?.status === 'error' ? isObject(outcome.error) : REFUSALS.has(outcome?.status);
}

/** Returns an outcome for each of `count` settlements or extensions, as `acquireOutcomes` does. */
export function settleOutcomes(
  given: readonly (SettleOutcome | undefined)[] | undefined,
  count: number,
): SettleOutcome[] {
  return Array.from({ length: count }, (_, index) => {
    const outcome = given?.[index];
    if (outcome === 'stored' || outcome === 'lost') return outcome;
    return isObject(outcome) && isObject(outcome.error) ? outcome : { error: missingOutcome() };
  });
}

export function missingOutcome(): StoreError {
  return new StoreError('The claim store returned fewer outcomes than items, or unknown ones', {
    isRetryable: false,
  });
}

/** Returns the error of a call that was not answered in time. Whether it was carried out is unknown. */
export function storeSilent(message: string, cause?: Error): StoreError {
  return new StoreError(message, { cause, isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' });
}

export function unansweredByStore(why: Unanswered, limitMs: number): StoreError {
  return unansweredBy('The claim store', why, `${limitMs / 1_000} seconds: check its load and the network`);
}

type Unanswered = 'silent' | 'given-up';

/** `within`: the limit, and what to do. */
export function unansweredBy(who: string, why: Unanswered, within: string, cause?: Error): StoreError {
  const how =
    why === 'silent'
      ? `did not answer within ${within}`
      : 'had not answered when the invocation had to answer';
  return storeSilent(`${who} ${how}`, cause);
}

/** Returns the error of a call whose caller had already given up. */
export function givenUp(): StoreError {
  return unansweredByStore('given-up', 0);
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(safeString(thrown));
}

/** Turns a rejection into an outcome for each settlement: it says nothing about those of other calls. */
export async function settleOrFail(
  settlements: readonly Settlement[],
  settled: Promise<SettleOutcome[]>,
): Promise<SettleOutcome[]> {
  try {
    return await settled;
  } catch (thrown) {
    const error = asError(thrown);
    return settlements.map(() => ({ error }));
  }
}
