import type { AcquireOutcome, SettleOutcome, Settlement } from './claim-store.ts';
import { safeString, StoreError } from '../base/errors.ts';
import { isObject } from '../base/is-object.ts';

/** Returns an outcome for each of `count` requests. A store of the user may answer with anything. */
export function acquireOutcomes(given: readonly AcquireOutcome[], count: number): AcquireOutcome[] {
  return outcomesFor(count, given, isAcquireOutcome, (error) => ({ status: 'error', error }));
}

const REFUSALS = new Set<unknown>(['duplicate', 'conflict', 'parked', 'mismatch']);

function isAcquireOutcome(outcome: AcquireOutcome | undefined): boolean {
  // Without a fencing token, the end of the attempt would not be stored.
  if (outcome?.status === 'acquired') return outcome.attempt > 0;
  return outcome?.status === 'error' ? isObject(outcome.error) : REFUSALS.has(outcome?.status);
}

/** Returns an outcome for each of `count` settlements or extensions, as `acquireOutcomes` does. */
export function settleOutcomes(given: readonly SettleOutcome[], count: number): SettleOutcome[] {
  return outcomesFor(count, given, isSettleOutcome, (error) => ({ error }));
}

function isSettleOutcome(outcome: SettleOutcome | undefined): boolean {
  return typeof outcome === 'string' ? outcome === 'stored' || outcome === 'lost' : isObject(outcome?.error);
}

function outcomesFor<Outcome>(
  count: number,
  given: readonly (Outcome | undefined)[] | undefined,
  isOutcome: (outcome: Outcome | undefined) => boolean,
  failed: (error: Error) => Outcome,
): Outcome[] {
  return Array.from({ length: count }, (_, index) => {
    const outcome = given?.[index];
    return isOutcome(outcome) ? (outcome as Outcome) : failed(missingOutcome());
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
