import { expect, test } from '@jest/globals';
import { Stop } from '../../src/base/stop.ts';
import { sqsQueue } from '../../src/worker/sqs-queue.ts';

const QueueArn = 'arn:aws:sqs:us-east-1:000000000000:orders';

test.each([
  [undefined, undefined],
  ['{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":5}', 5],
  ['{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:dead","maxReceiveCount":"3"}', 3],
  ['no JSON', undefined],
  ['null', undefined],
  ['{"maxReceiveCount":"many"}', undefined],
])(
  'of the redrive policy %s the worker knows that a message may be received %s times',
  async (policy, most) => {
    const attributes = {
      QueueArn,
      VisibilityTimeout: '30',
      ...(policy !== undefined && { RedrivePolicy: policy }),
    };
    const queue = sqsQueue(
      () => Promise.resolve({ Attributes: attributes }),
      'https://sqs.us-east-1.amazonaws.com/0/orders',
    );
    const facts = await queue.facts(new Stop());
    expect(facts).toEqual({
      arn: QueueArn,
      visibilityTimeoutMs: 30_000,
      ...(most !== undefined && { maxReceives: most }),
    });
  },
);
