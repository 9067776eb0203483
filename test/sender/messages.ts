import { z } from 'zod';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';

const order = z.object({ orderId: z.string(), tenantId: z.string(), note: z.string().optional() });

/** The types of the tests of senders. */
export const orders = messages({
  OrderPlaced: message(order, { key: ['orderId'], group: 'tenantId' }),
  OrderCancelled: message(order, { key: ['orderId'], group: 'tenantId' }),
});

/** Types without a group. */
export const notes = messages({ NoteTaken: message(z.object({ text: z.string() }), { key: ['text'] }) });

export function placed(
  orderId: string,
  tenantId: string = 't1',
): { type: 'OrderPlaced'; body: { orderId: string; tenantId: string } } {
  return { type: 'OrderPlaced', body: { orderId, tenantId } };
}
