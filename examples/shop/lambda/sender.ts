import { createSender } from 'batchlatch/sender';
import type { RowSender } from 'batchlatch/outbox';
import { all } from './shop.ts';

/** Sends what the outbox holds. */
export const sender: RowSender = createSender(all, {
  eventBusName: process.env['EVENT_BUS_NAME'] ?? 'shop',
  source: 'shop',
});
