import type { AcquireOutcome, SettleOutcome, Settlement } from './claim-store.ts';
import { StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';

export function missingOutcome(): StoreError {
  return new StoreError(
    'The claim store returned fewer outcomes than items, or unknown ones: it must return one for each',
    { isRetryable: false },
  );
}

/** Returns the outcome of one request. A store of the user may answer with anything. */
export function acquireOutcomeAt(outcomes: readonly AcquireOutcome[], index: number): AcquireOutcome {
  const outcome = (outcomes as readonly unknown[] | null | undefined)?.[index];
  return isAcquireOutcome(outcome) ? outcome : { status: 'error', error: missingOutcome() };
}

function isAcquireOutcome(outcome: unknown): outcome is AcquireOutcome {
  if (!isObject(outcome)) return false;
  const { status, attempt, error } = outcome as Partial<Record<'status' | 'attempt' | 'error', unknown>>;
  switch (status) {
    case 'acquired':
      return typeof attempt === 'number' && attempt > 0; // without a token, its end would not be stored
    case 'error':
      return isObject(error);
    default:
      return status === 'duplicate' || status === 'conflict' || status === 'parked' || status === 'mismatch';
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
