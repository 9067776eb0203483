import { randomUUID } from 'node:crypto';
import { type BatchProcessor, createBatchProcessor, payloadHash } from 'batchlatch';
import { redisStore } from 'batchlatch/redis';
import { Redis } from 'ioredis';
import { observer } from '../../../../examples/orders/observer.ts';
import type { Order } from '../../../../examples/orders/order.ts';
import { authorize } from './payments.ts';

const { REDIS_URL = '', CLAIMS_PREFIX = '', CHARGES_LIST = '' } = process.env;
const client = new Redis(REDIS_URL);

/** Charges the orders of an SQS batch: the claims are in Redis, and so is the log of charges, a list. */
export const handler: BatchProcessor = createBatchProcessor<Order>(
  async ({ body: order }, { signal }) => {
    await authorize(order);
    // A charge that has begun is not interrupted: it would not be known whether it was made.
    signal.throwIfAborted();
    const chargeId = randomUUID();
    await client.rpush(CHARGES_LIST, JSON.stringify({ ...order, chargeId }));
    return { chargeId };
  },
  {
    key: payloadHash({ include: ['orderId'] }),
    observer,
    store: redisStore({ client, prefix: CLAIMS_PREFIX }),
  },
);
