import type { Service } from '../../aws/service.ts';
import { StoreError } from '../../base/errors.ts';
import { DYNAMODB_REQUEST_MS } from '../../base/limits.ts';

/** DynamoDB, for requests without AWS's SDK. */
export const DYNAMODB: Service = {
  title: 'DynamoDB',
  name: 'dynamodb',
  target: 'DynamoDB_20120810',
  firstDelayMs: 25,
  maxAttempts: 4,
  tellingMembers: ['Item', 'CancellationReasons', 'ThrottlingReasons'],
  unanswered,
  noCredentials: () =>
    new StoreError('AWS credentials were not found in time: what gives them did not answer', {
      isRetryable: true,
      code: 'BATCHLATCH_STORE_SILENT',
    }),
};

/** The error of a request that got no answer: within that time, or before its caller gave up. */
export function unanswered(why: 'given-up' | 'silent', cause?: Error): StoreError {
  return new StoreError(
    why === 'silent'
      ? `DynamoDB did not answer within ${DYNAMODB_REQUEST_MS / 1_000} seconds`
      : 'DynamoDB had not answered when the invocation had to answer',
    { cause, isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' },
  );
}
