import { StoreError } from '../base/errors.ts';

/** A store must return an outcome for every item of a call. */
export function missingOutcome(): StoreError {
  return new StoreError('The claim store returned fewer outcomes than it was asked for', {
    isRetryable: false,
  });
}

/** Whether the call was carried out is not known. */
export function silentFor(limitMs: number): StoreError {
  return silent(`The claim store did not answer within ${limitMs / 1_000} seconds`);
}

/** The caller has stopped waiting: whether the call was carried out is not known. */
export function givenUp(): StoreError {
  return silent('The claim store had not answered when the invocation had to answer');
}

function silent(message: string): StoreError {
  return new StoreError(message, { isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' });
}

/** What was thrown, as an error. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
