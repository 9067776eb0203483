import type { Service } from '../aws/service.ts';

/** SQS, for requests without AWS's SDK ("AWS JSON protocol", SQS developer guide). */
export const SQS: Service = {
  title: 'SQS',
  name: 'sqs',
  target: 'AmazonSQS',
  firstDelayMs: 100,
  maxAttempts: 3,
  tellingMembers: [],
  unanswered: (why, cause, limitMs = 0) =>
    Object.assign(
      new Error(
        why === 'silent'
          ? `SQS did not answer within ${limitMs / 1_000} seconds`
          : 'SQS had not answered when the worker stopped waiting',
        { cause },
      ),
      { name: why === 'silent' ? 'TimeoutError' : 'AbortError' },
    ),
  noCredentials: () =>
    Object.assign(new Error('AWS credentials were not found in time'), { name: 'CredentialsProviderError' }),
};
