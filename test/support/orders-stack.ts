import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { readOrdersStack, stackOf, withSettings } from '../../lab/local/demo/orders-stack.ts';
import { DisposeStack } from '../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { choosePlaces } from '../../packages/cli/src/dev/places.ts';
import { startServices } from '../../packages/cli/src/dev/services/start-services.ts';

/** The names of the template's tables. */
export interface OrdersTables {
  readonly claims: string;
  readonly charges: string;
}

interface OrdersQueues {
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly deadLetterQueueUrl: string;
}

/** The template's tables and queues on the emulators of `batchlatch dev`. */
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
  const cleanup = new DisposeStack();
  const places = await choosePlaces();
  const { claims, charges, queue, deadLetterQueue, ...others } = withSettings(
    readOrdersStack(places, 'orders-test'),
    { visibilityTimeoutSeconds, functionTimeoutMs: 30_000, concurrency: 1 },
  );
  const stack = stackOf({ claims, charges, queue, deadLetterQueue, ...others }, [claims, charges]);
  const services = await startServices(stack, places);
  cleanup.defer(() => services.stop());
  const dynamoDB = new DynamoDBClient({ ...emulatorClientConfig, endpoint: places.dynamodb });
  cleanup.defer(() => dynamoDB.destroy());
  const sqs = new SQSClient({ ...emulatorClientConfig, endpoint: places.sqs });
  cleanup.defer(() => sqs.destroy());
  return {
    dynamoDB,
    dynamoDBEndpoint: places.dynamodb,
    tables: { claims: claims.name, charges: charges.name },
    sqs,
    sqsEndpoint: places.sqs,
    queues: { queueUrl: queue.url, queueArn: queue.arn, deadLetterQueueUrl: deadLetterQueue.url },
    stop: () => cleanup.run(),
  };
}

/** Only the names and the addresses of the template depend on it. */
const NOWHERE = {
  sqs: 'http://127.0.0.1:1',
  dynamodb: 'http://127.0.0.1:2',
  eventbridge: 'http://127.0.0.1:3',
  kinesis: 'http://127.0.0.1:4',
};

/** Creates the template's tables, the suffix in their names, in a DynamoDB of the caller. */
export async function createOrdersTables(dynamoDB: DynamoDBClient, suffix: string): Promise<OrdersTables> {
  const { claims, charges } = readOrdersStack(NOWHERE, `orders-${suffix}`);
  for (const { definition } of [claims, charges]) {
    await dynamoDB.send(new CreateTableCommand({ ...definition } as unknown as CreateTableCommandInput));
  }
  return { claims: claims.name, charges: charges.name };
}

/** The charges table as the template has it: a row per charge. */
export function chargesTableDefinition(tableName: string): CreateTableCommandInput {
  const { definition } = readOrdersStack(NOWHERE, 'orders').charges;
  return { ...definition, TableName: tableName };
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
