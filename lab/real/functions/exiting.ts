import { createBatchProcessor, payloadHash } from 'batchlatch';
import { chargeOrder } from '../../../examples/orders/charge-order.ts';
import type { Order } from '../../../examples/orders/order.ts';
import { passGate } from './pass-gate.ts';

/** Charges orders one by one; one of the customer `deadly` ends the process instead, when the test says so. */
export const handler = createBatchProcessor<Order>(
  async ({ body }, { attempt, signal }) => {
    if (body.customerId === 'deadly') {
      await passGate(`${body.orderId}/${attempt}`);
      process.exit(1);
    }
    return chargeOrder(body, signal);
  },
  { key: payloadHash({ include: ['orderId'] }), concurrency: 1, maxAttempts: 2 },
);
