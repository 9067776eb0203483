import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Cleanup } from '../../src/dev/emulators/cleanup.ts';
import { startDynamoDBEmulator } from '../../src/dev/emulators/dynamodb-emulator.ts';
import { emulatorClientConfig } from '../../src/dev/emulators/emulator-environment.ts';
import {
  createOrdersQueues,
  createOrdersTables,
  type OrdersQueues,
  type OrdersTables,
} from '../../local/demo/orders-stack.ts';
import { startSqsEmulator } from '../../src/dev/emulators/sqs-emulator.ts';

/** The template's tables on dynoxide and its queues on fauxqs. */
export interface OrdersStack {
  readonly dynamoDB: DynamoDBClient;
  readonly dynamoDBEndpoint: string;
  readonly tables: OrdersTables;
  readonly sqs: SQSClient;
  readonly sqsEndpoint: string;
  readonly queues: OrdersQueues;
  stop(): Promise<void>;
}

export async function startOrdersStack(visibilityTimeoutSeconds: number): Promise<OrdersStack> {
  const cleanup = new Cleanup();
  const dynoxide = await startDynamoDBEmulator('dynoxide');
  cleanup.defer(() => dynoxide.stop());
  const fauxqs = await startSqsEmulator();
  cleanup.defer(() => fauxqs.stop());
  const dynamoDB = new DynamoDBClient({ ...emulatorClientConfig, endpoint: dynoxide.endpoint });
  cleanup.defer(() => dynamoDB.destroy());
  const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: fauxqs.endpoint });
  cleanup.defer(() => sqs.destroy());
  return {
    dynamoDB,
    dynamoDBEndpoint: dynoxide.endpoint,
    tables: await createOrdersTables(dynamoDB, 'test'),
    sqs,
    sqsEndpoint: fauxqs.endpoint,
    queues: await createOrdersQueues(sqs, visibilityTimeoutSeconds),
    stop: () => cleanup.run(),
  };
}

/** Sends the bodies in order, and gives their messageIds. */
export async function sendBodies(
  { sqs, queues }: Pick<OrdersStack, 'sqs' | 'queues'>,
  bodies: readonly unknown[],
): Promise<string[]> {
  const messageIds: string[] = [];
  for (let start = 0; start < bodies.length; start += 10) {
    const { Successful = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queues.queueUrl,
        Entries: bodies
          .slice(start, start + 10)
          .map((body, index) => ({ Id: String(index), MessageBody: JSON.stringify(body) })),
      }),
    );
    for (const { Id, MessageId = '' } of Successful) messageIds[start + Number(Id)] = MessageId;
  }
  return messageIds;
}
