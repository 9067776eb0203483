import type { SettleOutcome, Settlement } from './claim-store.ts';
import { StoreError } from '../base/errors.ts';

export function missingOutcome(): StoreError {
  return new StoreError('The claim store returned fewer outcomes than items: it must return one for each', {
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
  return thrown instanceof Error ? thrown : new Error(String(thrown));
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
