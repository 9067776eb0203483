import { type BatchProcessor, type ClaimStore, createBatchProcessor, payloadHash } from 'batchlatch';
import { chargeOrder } from './charge-order.ts';
import { observer } from './observer.ts';
import type { Order } from './order.ts';

/**
 * Charges the orders of an SQS batch, each once.
 *
 * The key is the order, not the message: the shop may send an order again, and then it has another messageId.
 * Without a `store`, claims are in the table that CLAIMS_TABLE_NAME names; tests give a store in memory.
 */
export function createOrdersQueue(options: { readonly store?: ClaimStore } = {}): BatchProcessor {
  return createBatchProcessor<Order>((record, context) => chargeOrder(record.body, context.signal), {
    key: payloadHash({ include: ['orderId'] }),
    observer,
    ...options,
  });
}

export const handler: BatchProcessor = createOrdersQueue();
