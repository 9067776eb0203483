import type { StoreCallOptions } from './claim-store.ts';
import { StoreError } from '../base/errors.ts';

/** Where results live that are too long for a row: `s3Results` of `batchlatch/s3`, or one of your own. */
export interface ResultStorage {
  /** Results of more UTF-8 bytes of JSON than this are stored here. Default: what the claim store can hold. */
  readonly thresholdBytes?: number;
  /**
   * Stores the result of one attempt and says where, in a string for `get`. Two owners of a key have two places:
   * a late owner must not overwrite the result of the next. The same attempt may put its result again.
   *
   * @param key The idempotency key.
   * @param owner The token of the attempt.
   * @param json The result as JSON text.
   * @param options When to give up.
   */
  put(key: string, owner: string, json: string, options?: StoreCallOptions): Promise<string>;
  /**
   * Gives the result back. Rejects with a `StoreError` that is not retryable where it is gone for good.
   *
   * @param pointer What `put` resolved with.
   * @param options When to give up.
   */
  get(pointer: string, options?: StoreCallOptions): Promise<string>;
}

/**
 * In a row, a text with this prefix says where its result is. A store that writes a text that may begin like this
 * writes it in another form: `resultsIn` and `withResultTexts` do, each in one of its own.
 */
export const POINTER = '@stored ';

/** The result is in a result storage, and there is none to read it from. */
export function noResultStorage(): StoreError {
  return new StoreError(
    'The key is completed, but its result is in a result storage that the claim store is not wrapped with: wrap the store in resultsIn(…) with the storage that the result was written to',
    { isRetryable: false, code: 'BATCHLATCH_RESULT_UNAVAILABLE' },
  );
}
