import { type BatchProcessor, createBatchProcessor, payloadHash } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { withIdempotency } from 'batchlatch/functions';
import { withHttpIdempotency } from 'batchlatch/http';
import { jsonLines } from 'batchlatch/observe';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { createWorker } from 'batchlatch/worker';

interface Order {
  readonly orderId: string;
  readonly amount: number;
}

export const handler: BatchProcessor = createBatchProcessor<Order>(
  async ({ body, source, messageGroupId }, { idempotencyKey, signal }) => {
    signal.throwIfAborted();
    return {
      text: `${source} ${messageGroupId ?? ''} ${body.orderId.trim()} ${body.amount.toFixed(2)} ${idempotencyKey}`,
    };
  },
  {
    key: payloadHash({ include: ['orderId'] }),
    store: dynamoDBStore({ tableName: 'claims' }),
    observer: jsonLines({ level: 'warn' }),
  },
);
export const response: Promise<{ batchItemFailures: readonly { itemIdentifier: string }[] }> = handler(
  sqsEvent([{ body: { orderId: 'A' } }]),
  lambdaContext(),
);
export const others = [withIdempotency, withHttpIdempotency, createWorker];
