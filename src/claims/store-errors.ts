import type { SettleOutcome, Settlement } from './claim-store.ts';
import { StoreError } from '../base/errors.ts';

/** A store must return an outcome for every item of a call. */
export function missingOutcome(): StoreError {
  return new StoreError('The claim store returned fewer outcomes than it was asked for', {
    isRetryable: false,
  });
}

/** The error of a call that got no answer, in time or before its caller gave up. Whether it was carried out is not known. */
export function unansweredByStore(why: 'silent' | 'given-up', limitMs: number): StoreError {
  return new StoreError(
    why === 'silent'
      ? `The claim store did not answer within ${limitMs / 1_000} seconds`
      : 'The claim store had not answered when the invocation had to answer',
    { isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' },
  );
}

/** The error of a call whose caller had given up before. */
export function givenUp(): StoreError {
  return unansweredByStore('given-up', 0);
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** Of several calls, one that rejects says nothing about the settlements of the others. */
export async function settleOrFail(
  settlements: readonly Settlement[],
  settled: Promise<SettleOutcome[]>,
): Promise<SettleOutcome[]> {
  try {
    return await settled;
  } catch (thrown) {
    return settlements.map(() => ({ error: thrown as Error }));
  }
}
