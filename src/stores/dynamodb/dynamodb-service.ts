import type { Service } from '../../aws/service.ts';
import { StoreError } from '../../claims/errors.ts';
import { LONGEST_REQUEST_MS, unanswered } from './unanswered.ts';

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
    new StoreError(`AWS credentials were not found within ${LONGEST_REQUEST_MS / 1_000} seconds`, {
      isRetryable: true,
      code: 'BATCHLATCH_STORE_SILENT',
    }),
};
