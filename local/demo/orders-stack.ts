import {
  BatchExecuteStatementCommand,
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  type DynamoDBClient,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { claimsTableDefinition } from 'batchlatch/dynamodb';

/** What `template.yaml` says of the orders' queue and function; `test/local/orders-stack.test.ts` holds it to that. */
export const ordersTemplate = {
  queue: { VisibilityTimeout: '181', MessageRetentionPeriod: '345600', SqsManagedSseEnabled: 'true' },
  deadLetterQueue: { MessageRetentionPeriod: '1209600', SqsManagedSseEnabled: 'true' },
  maxReceiveCount: 5,
  batchSize: 10,
  functionTimeoutMs: 30_000,
} as const;

/** The charges table as the template defines it: a row per charge. */
export function chargesTableDefinition(tableName: string): CreateTableCommandInput {
  return {
    TableName: tableName,
    AttributeDefinitions: [
      { AttributeName: 'orderId', AttributeType: 'S' },
      { AttributeName: 'chargeId', AttributeType: 'S' },
    ],
    KeySchema: [
      { AttributeName: 'orderId', KeyType: 'HASH' },
      { AttributeName: 'chargeId', KeyType: 'RANGE' },
    ],
    BillingMode: 'PAY_PER_REQUEST',
  };
}

export interface OrdersTables {
  readonly claims: string;
  readonly charges: string;
  /** Whether this DynamoDB knows the statements that claims are written with by default. */
  readonly knowsPartiQL: boolean;
}

/** Creates the two tables, the suffix in their names. */
export async function createOrdersTables(dynamoDB: DynamoDBClient, suffix: string): Promise<OrdersTables> {
  const tables = { claims: `orders-claims-${suffix}`, charges: `orders-charges-${suffix}` };
  const { table, timeToLive } = claimsTableDefinition(tables.claims);
  await dynamoDB.send(new CreateTableCommand(table));
  await dynamoDB.send(new CreateTableCommand(chargesTableDefinition(tables.charges)));
  // No claim of the demo gets old enough for it; dynalite has none.
  await knows(dynamoDB.send(new UpdateTimeToLiveCommand(timeToLive)));
  const statement = { Statement: `SELECT id FROM "${tables.claims}" WHERE id = ?`, Parameters: [{ S: '-' }] };
  const knowsPartiQL = await knows(
    dynamoDB.send(new BatchExecuteStatementCommand({ Statements: [statement] })),
  );
  return { ...tables, knowsPartiQL };
}

/** For an emulator that goes on after the demo. */
export async function deleteOrdersTables(dynamoDB: DynamoDBClient, tables: OrdersTables): Promise<void> {
  for (const TableName of [tables.claims, tables.charges]) {
    await dynamoDB.send(new DeleteTableCommand({ TableName }));
  }
}

export interface OrdersQueues {
  readonly queueUrl: string;
  readonly queueArn: string;
  readonly deadLetterQueueUrl: string;
}

/** Creates the queue and its dead-letter queue; the visibility timeout is the caller's. */
export async function createOrdersQueues(
  sqs: SQSClient,
  visibilityTimeoutSeconds: number,
): Promise<OrdersQueues> {
  const { queue, deadLetterQueue, maxReceiveCount } = ordersTemplate;
  const dead = await createQueue(sqs, 'orders-dead-letter', deadLetterQueue);
  const { queueUrl, queueArn } = await createQueue(sqs, 'orders', {
    ...queue,
    VisibilityTimeout: String(visibilityTimeoutSeconds),
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: dead.queueArn, maxReceiveCount }),
  });
  return { queueUrl, queueArn, deadLetterQueueUrl: dead.queueUrl };
}

async function createQueue(
  sqs: SQSClient,
  name: string,
  attributes: Readonly<Record<string, string>>,
): Promise<{ queueUrl: string; queueArn: string }> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return { queueUrl: QueueUrl ?? '', queueArn: Attributes?.QueueArn ?? '' };
}

async function knows(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'UnknownOperationException') return false;
    throw thrown;
  }
}
