import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, GetQueueAttributesCommand, SendMessageCommand, SQS } from '@aws-sdk/client-sqs';
import { afterAll } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { receiveEvent } from './poll-queue.ts';

export interface EmulatedQueues {
  /** A client of the emulator, as a user would pass it. */
  readonly sqs: SQS;
  /** A queue that nobody else uses; its messages stay invisible for 30 s after a receive. */
  create(options?: { fifo?: boolean }): Promise<EmulatedQueue>;
}

export interface EmulatedQueue {
  readonly queueUrl: string;
  readonly queueArn: string;
  send(body: unknown, options?: { group?: string; attributes?: Record<string, string> }): Promise<void>;
  /** Up to ten messages as Lambda would deliver them; does not wait. */
  receive(): Promise<SQSEvent>;
}

/** SQS as fauxqs plays it, for the tests of one file; it starts with the first queue. */
export function emulatedQueues(): EmulatedQueues {
  let started: Promise<LocalService> | undefined;
  let sqs: SQS;
  afterAll(async () => {
    sqs?.destroy();
    await (await started)?.stop();
  });
  return {
    get sqs() {
      return sqs;
    },
    async create(options) {
      started ??= startSqsEmulator();
      sqs ??= new SQS({ ...emulatorClientConfig, endpoint: (await started).endpoint });
      return createQueue(sqs, options);
    },
  };
}

async function createQueue(sqs: SQS, { fifo = false } = {}): Promise<EmulatedQueue> {
  const { QueueUrl: queueUrl = '' } = await sqs.send(
    new CreateQueueCommand({
      QueueName: `q-${randomUUID()}${fifo ? '.fifo' : ''}`,
      Attributes: {
        VisibilityTimeout: '30',
        ...(fifo && { FifoQueue: 'true', ContentBasedDeduplication: 'true' }),
      },
    }),
  );
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['QueueArn'] }),
  );
  const queueArn = Attributes?.QueueArn ?? '';
  return {
    queueUrl,
    queueArn,
    async send(body, { group, attributes = {} } = {}) {
      const MessageAttributes = Object.fromEntries(
        Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
      );
      await sqs.send(
        new SendMessageCommand({
          QueueUrl: queueUrl,
          MessageBody: typeof body === 'string' ? body : JSON.stringify(body),
          MessageAttributes,
          ...(group !== undefined && { MessageGroupId: group, MessageDeduplicationId: randomUUID() }),
        }),
      );
    },
    receive: () => receiveEvent(sqs, { queueUrl, queueArn }),
  };
}
