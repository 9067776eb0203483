import { createBatchProcessor, payloadHash } from 'batchlatch';
import { charge, type Order } from './payments.ts';

export const handler = createBatchProcessor<Order>(
  async ({ body }, { idempotencyKey }) => charge(body, { idempotencyKey }),
  { key: payloadHash({ include: ['orderId'] }) },
);
