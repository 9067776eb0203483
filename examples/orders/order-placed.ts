import { createBatchProcessor } from 'batchlatch';
import { chargeOrder } from './charge-order.ts';
import { observer } from './observer.ts';
import type { Order } from './order.ts';

/**
 * Charges the order of an `OrderPlaced` event, once.
 *
 * EventBridge delivers an event at least once, always under the same id, and that is the key by default.
 */
export const handler = createBatchProcessor<Order>(
  (record, context) => chargeOrder(record.body, context.signal),
  { observer },
);
