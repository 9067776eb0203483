import { messages } from 'batchlatch/messages';
import { dynamoDBOutbox } from 'batchlatch/outbox';
import { dispatches, orders } from '../messages.ts';

/** All types of message. */
export const all = messages({ ...orders.types, ...dispatches.types });

/** Messages of both queues, in one table: rules of the event bus send each type to its queue. */
export const outbox = dynamoDBOutbox({ messages: all });

/** Returns the entry of a transaction that writes an item of an order. */
export function put(orderId: string, entry: string, attributes: Readonly<Record<string, unknown>> = {}) {
  const TableName = process.env['SHOP_TABLE_NAME'] ?? 'shop';
  return { Put: { TableName, Item: { orderId, entry, ...attributes } } };
}
