import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { SQSRecord } from 'aws-lambda';
import type { Order } from '../workload.ts';
import type { MakeBatchHandler } from './contender.ts';
import { sharedClient } from './shared-client.ts';

const RETENTION_SECONDS = 4 * 24 * 60 * 60;

/**
 * The loop that people write: put a row unless it is there, run the handler, mark the row as completed, and take
 * it away again when the handler fails, so that the next delivery runs.
 */
export const byHand: MakeBatchHandler = ({ endpoint, tableName, handler }) => {
  const client = sharedClient(endpoint);
  const keyOf = ({ messageId }: SQSRecord): { id: { S: string } } => ({ id: { S: `orders#${messageId}` } });

  async function isNew(record: SQSRecord): Promise<boolean> {
    try {
      await client.send(
        new PutItemCommand({
          TableName: tableName,
          Item: { ...keyOf(record), status: { S: 'IN_PROGRESS' }, expiresAt: { N: expiry() } },
          ConditionExpression: 'attribute_not_exists(id)',
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async function complete(record: SQSRecord): Promise<void> {
    await client.send(
      new UpdateItemCommand({
        TableName: tableName,
        Key: keyOf(record),
        UpdateExpression: 'SET #status = :status, expiresAt = :expiresAt',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':status': { S: 'COMPLETED' }, ':expiresAt': { N: expiry() } },
      }),
    );
  }

  async function run(record: SQSRecord): Promise<void> {
    if (!(await isNew(record))) return;
    try {
      await handler(JSON.parse(record.body) as Order);
    } catch (error) {
      await client.send(new DeleteItemCommand({ TableName: tableName, Key: keyOf(record) }));
      throw error;
    }
    await complete(record);
  }

  return async ({ Records }) => {
    const results = await Promise.allSettled(Records.map(run));
    const failed = Records.filter((_, index) => results[index]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
};

function expiry(): string {
  return String(Math.ceil(Date.now() / 1_000) + RETENTION_SECONDS);
}
