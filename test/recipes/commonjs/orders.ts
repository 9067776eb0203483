import { type BatchProcessor, type ClaimStore, createBatchProcessor, payloadHash } from 'batchlatch';
import { charge, type Order } from './payments';

/** A test gives a store in memory. */
export function createOrders(options: { readonly store?: ClaimStore } = {}): BatchProcessor {
  return createBatchProcessor<Order>(
    async ({ body }, { idempotencyKey }) => charge(body, { idempotencyKey }),
    { key: payloadHash({ include: ['orderId'] }), ...options },
  );
}

export const handler = createOrders();
