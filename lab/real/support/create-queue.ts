import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';

export interface QueueOptions {
  readonly visibilityTimeoutSeconds: number;
  /** Receives before a message moves to a dead-letter queue; without it there is none. */
  readonly maxReceiveCount?: number;
  readonly isFifo?: boolean;
}

export interface Queue {
  readonly queueUrl: string;
  readonly queueArn: string;
  /** Empty where there is none. */
  readonly deadLetterQueueUrl: string;
}

/** Creates a queue that nobody else uses. */
export async function createQueue(sqs: SQSClient, options: QueueOptions): Promise<Queue> {
  const { visibilityTimeoutSeconds, maxReceiveCount, isFifo = false } = options;
  const attributes: Record<string, string> = { VisibilityTimeout: String(visibilityTimeoutSeconds) };
  if (isFifo) attributes['FifoQueue'] = 'true';
  if (maxReceiveCount === undefined) return { ...(await create(attributes)), deadLetterQueueUrl: '' };

  const deadLetters = await create(isFifo ? { FifoQueue: 'true' } : {});
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: deadLetters.queueArn, maxReceiveCount });
  return {
    ...(await create({ ...attributes, RedrivePolicy })),
    deadLetterQueueUrl: deadLetters.queueUrl,
  };

  async function create(Attributes: Record<string, string>): Promise<{ queueUrl: string; queueArn: string }> {
    const QueueName = `${randomUUID()}${isFifo ? '.fifo' : ''}`;
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    const { Attributes: created } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
    );
    return { queueUrl: QueueUrl, queueArn: created?.QueueArn ?? '' };
  }
}
