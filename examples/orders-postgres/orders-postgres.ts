import { SQS } from '@aws-sdk/client-sqs';
import {
  backoff,
  type BatchProcessor,
  type BatchProcessorOptions,
  type ClaimStore,
  createBatchProcessor,
  payloadHash,
} from 'batchlatch';
import { inTransaction, postgresStore } from 'batchlatch/postgres';
import { openDatabase } from './database.ts';
import type { Order } from './order.ts';
import { placeOrder } from './place-order.ts';

/**
 * Places the orders of an SQS queue, each exactly once: what is written for an order and the completion of its claim are one
 * transaction. A process that dies has placed an order and completed it, or neither.
 */
export function createOrdersPostgres(
  store: ClaimStore,
  options: Pick<BatchProcessorOptions<Order>, 'sqs' | 'visibility' | 'observer'> = {},
): BatchProcessor {
  return createBatchProcessor<Order>(
    async ({ body }, context) => {
      await inTransaction(context, (client) => placeOrder(client, body));
    },
    { key: payloadHash({ include: ['orderId'] }), store, ...options },
  );
}

export const handler: BatchProcessor = createOrdersPostgres(postgresStore({ pool: openDatabase() }), {
  sqs: new SQS({}),
  visibility: backoff({ maxDelayMs: 60_000 }),
});
