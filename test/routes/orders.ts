import type { SQSRecord } from 'aws-lambda';
import { from, message, messages } from 'batchlatch/messages';
import { type SqsMessage } from 'batchlatch/testing';
import { z } from 'zod';

/** Two types with the same key, and one without a key. */
export const orders = messages({
  OrderPlaced: message(z.object({ orderId: z.string(), total: z.coerce.number<number>() }), {
    key: ['orderId'],
  }),
  OrderCancelled: message(z.object({ orderId: z.string() }), { key: ['orderId'] }),
  Pinged: message(z.object({})),
});

/** The same type with an older version, in which the id had another name. */
export const versioned = messages({
  OrderPlaced: message(z.object({ orderId: z.string() }), {
    key: ['orderId'],
    upgrades: { 1: from(z.object({ id: z.string() }), ({ id }) => ({ orderId: id })) },
  }),
});

/** A message as `createSender` sends it. */
export function typed(
  type: string,
  body: unknown,
  attributes: Readonly<Record<string, string>> = {},
): SqsMessage & { readonly messageAttributes: SQSRecord['messageAttributes'] } {
  const all = Object.entries({ type, ...attributes });
  return {
    body,
    messageAttributes: Object.fromEntries(
      all.map(([name, stringValue]) => [name, { stringValue, dataType: 'String' as const }]),
    ),
  };
}
