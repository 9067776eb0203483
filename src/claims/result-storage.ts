import type { StoreCallOptions } from './claim-store.ts';
import { StoreError } from './errors.ts';

/** Where results live that are too long for a row: `s3Results` of `batchlatch/s3`, or one of your own. */
export interface ResultStorage {
  /** Results of more UTF-8 bytes of JSON than this are stored here. Default: what the claim store can hold. */
  readonly thresholdBytes?: number;
  /**
   * Stores the result of one attempt and says where, in a string for `get`. Two owners of a key have two places:
   * a late owner must not overwrite the result of the next. The same attempt may put its result again.
   */
  put(key: string, owner: string, json: string, options?: StoreCallOptions): Promise<string>;
  /** Gives the result back. Rejects with a `StoreError` that is not retryable where it is gone for good. */
  get(pointer: string, options?: StoreCallOptions): Promise<string>;
}

/**
 * In a row, a text that begins like this says where its result is. Whoever stores a text that may begin like this
 * writes it in another form: `resultsIn` and `withResultTexts` do, each in one of its own.
 */
export const POINTER = '@stored ';

/** The result lies in a storage, and none is there to read it. */
export function noResultStorage(): StoreError {
  return new StoreError(
    'The key is completed and its result lies in a result storage that the claim store does not have: put resultsIn(…) with the storage that it was written to before the store',
    { isRetryable: false, code: 'BATCHLATCH_RESULT_UNAVAILABLE' },
  );
}
