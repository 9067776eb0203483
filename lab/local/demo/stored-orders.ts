import { type AttributeValue, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Claim } from 'batchlatch';
import { defaultAttributeNames, rowFormat } from '../../../src/stores/dynamodb/row.ts';

/** Every claim of the table. */
export async function readClaims(dynamoDB: DynamoDBClient, tableName: string): Promise<Claim[]> {
  const { toClaim } = rowFormat(defaultAttributeNames);
  return (await scan(dynamoDB, tableName)).map(toClaim);
}

/** The order of every charge that was made; an order that was charged twice is there twice. */
export async function readChargedOrders(dynamoDB: DynamoDBClient, tableName: string): Promise<string[]> {
  return (await scan(dynamoDB, tableName)).map((row) => row['orderId']?.S ?? '');
}

async function scan(dynamoDB: DynamoDBClient, tableName: string): Promise<Record<string, AttributeValue>[]> {
  const rows: Record<string, AttributeValue>[] = [];
  const pages = paginateScan({ client: dynamoDB }, { TableName: tableName, ConsistentRead: true });
  for await (const { Items = [] } of pages) rows.push(...Items);
  return rows;
}

/** How many messages a queue holds. */
export interface QueueDepth {
  /** Waiting to be received. */
  readonly visible: number;
  /** Received and neither deleted nor visible again: being processed, or waiting for its next delivery. */
  readonly inFlight: number;
}

export async function readDepth(sqs: SQSClient, queueUrl: string): Promise<QueueDepth> {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: queueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    visible: Number(Attributes.ApproximateNumberOfMessages),
    inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible),
  };
}

/** The ids of all messages in a queue from which nothing else receives any more. They are not deleted, and shown again afterwards. */
export async function readMessageIds(sqs: SQSClient, queueUrl: string): Promise<Set<string>> {
  const handles = new Map<string, string | undefined>();
  while (true) {
    const { visible, inFlight } = await readDepth(sqs, queueUrl);
    if (handles.size >= visible + inFlight) break;
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 600, // received once is enough
        WaitTimeSeconds: 1, // for what is in flight to become visible
      }),
    );
    for (const { MessageId = '', ReceiptHandle } of Messages) handles.set(MessageId, ReceiptHandle);
  }
  for (const ReceiptHandle of handles.values()) {
    const shown = { QueueUrl: queueUrl, ReceiptHandle, VisibilityTimeout: 0 };
    await sqs.send(new ChangeMessageVisibilityCommand(shown));
  }
  return new Set(handles.keys());
}
