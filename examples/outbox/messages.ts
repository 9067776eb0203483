import { message, messages } from 'batchlatch/messages';
import { z } from 'zod';

const orderPlaced = z.object({ orderId: z.string(), tenantId: z.string(), total: z.number() });

/** What the sender and its consumers know of each other. */
export const orders = messages({
  OrderPlaced: message(orderPlaced, { key: ['orderId'], group: 'tenantId' }),
});
