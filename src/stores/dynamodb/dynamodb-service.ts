import type { Service } from '../../aws/service.ts';
import { StoreError } from '../../base/errors.ts';
import { unanswered } from './unanswered.ts';

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
