import { message, messages } from 'batchlatch/messages';
import { z } from 'zod';

const order = z.object({ orderId: z.string(), customerId: z.string(), cents: z.number().int().positive() });
const ofOrder = { key: ['orderId'], group: 'customerId' } as const;

/** Sent by the web handler, and handled by the payments. */
export const orders = messages({ OrderPlaced: message(order, ofOrder) });

/** Sent by the payments, and handled by mail and warehouse: two types of message in one queue. */
export const dispatches = messages({
  ReceiptRequested: message(order, ofOrder),
  ParcelRequested: message(order.omit({ cents: true }), ofOrder),
});
