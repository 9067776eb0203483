import { createBatchProcessor, payloadHash } from 'batchlatch';
import { chargeOrder } from './charge-order.ts';
import type { Order } from './order.ts';

/**
 * Charges the orders of an SQS batch, each once.
 *
 * The key is the order, not the message: the shop may send an order again, and then it has another messageId.
 */
export const handler = createBatchProcessor<Order>(
  (record, context) => chargeOrder(record.body, context.signal),
  { key: payloadHash({ include: ['orderId'] }) },
);
