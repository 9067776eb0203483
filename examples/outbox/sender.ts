import type { RowSender } from 'batchlatch/outbox';
import { createSender } from 'batchlatch/sender';
import { orders } from './messages.ts';

/** Sends what the outbox holds. */
export const sender: RowSender = createSender(orders, { queueUrl: process.env['PLACED_QUEUE_URL'] ?? '' });
