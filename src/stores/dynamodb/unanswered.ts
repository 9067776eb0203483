import { StoreError } from '../../base/errors.ts';

/** The longest that one request takes, its retries included, whatever it is sent with. */
export const LONGEST_REQUEST_MS = 10_000;

/** The error of a request that got no answer: within that time, or before its caller gave up. */
export function unanswered(why: 'given-up' | 'silent', cause?: Error): StoreError {
  return new StoreError(
    why === 'silent'
      ? `DynamoDB did not answer within ${LONGEST_REQUEST_MS / 1_000} seconds`
      : 'DynamoDB had not answered when the invocation had to answer',
    { cause, isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' },
  );
}
