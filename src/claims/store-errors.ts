import type { AcquireOutcome, SettleOutcome, Settlement } from './claim-store.ts';
import { StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';

export function missingOutcome(): StoreError {
  return new StoreError(
    'The claim store returned fewer outcomes than items, or unknown ones: it must return one for each',
    { isRetryable: false },
  );
}

/** Returns an outcome for each of `count` requests. A store of the user may answer with anything. */
export function acquireOutcomes(given: readonly AcquireOutcome[], count: number): AcquireOutcome[] {
  const outcomes: AcquireOutcome[] = [];
  for (let index = 0; index < count; index += 1) {
    const outcome = (given as readonly (AcquireOutcome | undefined)[] | undefined)?.[index];
    // Without a fencing token, the end of the attempt would not be stored.
    const isAcquired = outcome?.status === 'acquired' && outcome.attempt > 0;
    outcomes.push(isAcquired || isRefusal(outcome) ? outcome : { status: 'error', error: missingOutcome() });
  }
  return outcomes;
}

function isRefusal(outcome: AcquireOutcome | undefined): outcome is AcquireOutcome {
  switch (outcome?.status) {
    case 'duplicate':
    case 'conflict':
    case 'parked':
    case 'mismatch':
      return true;
    case 'error':
      return isObject(outcome.error);
    case 'acquired':
    case undefined:
    default:
      return false;
  }
}

/** Returns the outcome of one settlement. A store of the user may answer with anything. */
export function settleOutcomeAt(outcomes: readonly SettleOutcome[], index: number): SettleOutcome {
  const outcome = (outcomes as readonly unknown[] | null | undefined)?.[index];
  const isKnown = outcome === 'stored' || outcome === 'lost';
  return isKnown || (isObject(outcome) && 'error' in outcome && isObject(outcome.error))
    ? (outcome as SettleOutcome)
    : { error: missingOutcome() };
}

/** Returns the error of a call that was not answered in time. Whether it was carried out is unknown. */
export function storeSilent(message: string, cause?: Error): StoreError {
  return new StoreError(message, { cause, isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' });
}

export function unansweredByStore(why: 'silent' | 'given-up', limitMs: number): StoreError {
  return storeSilent(
    why === 'silent'
      ? `The claim store did not answer within ${limitMs / 1_000} seconds: check its load and the network`
      : 'The claim store had not answered when the invocation had to answer',
  );
}

/** Returns the error of a call whose caller had already given up. */
export function givenUp(): StoreError {
  return unansweredByStore('given-up', 0);
}

export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown;
  try {
    return new Error(String(thrown));
  } catch {
    return new Error('a value that cannot be shown as text'); // such as an object without a prototype
  }
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
