import type { StoreCallOptions } from './claim-store.ts';
import { StoreError } from '../base/errors.ts';

/** A storage for results that are too long for a row: `s3Results` of `batchlatch/s3`, or your own. */
export interface ResultStorage {
  /** Results of more UTF-8 bytes of JSON are stored here. Default: the limit of the claim store. */
  readonly thresholdBytes?: number;
  /**
   * Stores the result of one attempt and returns a pointer to it, for `get`. Each owner of a key needs its
   * own place: a late owner must not overwrite the next owner's result. The same attempt may put its result
   * again.
   *
   * @param key The idempotency key.
   * @param owner The token of the attempt.
   * @param json The result as JSON text.
   * @param options When to give up.
   */
  put(key: string, owner: string, json: string, options?: StoreCallOptions): Promise<string>;
  /**
   * Returns a stored result. Rejects with a `StoreError` that is not retryable if it is gone for good.
   *
   * @param pointer The value that `put` resolved with.
   * @param options When to give up.
   */
  get(pointer: string, options?: StoreCallOptions): Promise<string>;
}

/** The prefix of pointers in rows. `resultsIn` and `withResultTexts` escape texts that begin like this. */
export const POINTER = '@stored ';

export function noResultStorage(): StoreError {
  return new StoreError(
    'The key is completed, but its result is in a result storage that the store is not wrapped with: ' +
      'use resultsIn(…) with that storage',
    { isRetryable: false, code: 'BATCHLATCH_RESULT_UNAVAILABLE' },
  );
}
