import { StoreError } from '../../base/errors.ts';
import { DYNAMODB_REQUEST_MS } from '../../base/limits.ts';

/** The error of a request that got no answer: within that time, or before its caller gave up. */
export function unanswered(why: 'given-up' | 'silent', cause?: Error): StoreError {
  return new StoreError(
    why === 'silent'
      ? `DynamoDB did not answer within ${DYNAMODB_REQUEST_MS / 1_000} seconds`
      : 'DynamoDB had not answered when the invocation had to answer',
    { cause, isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' },
  );
}
