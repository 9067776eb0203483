import { type BatchProcessor, createBatchProcessor } from 'batchlatch';
import { route, routes } from 'batchlatch/messages';
import { inTransaction } from 'batchlatch/postgres';
import { dispatches } from '../messages.ts';
import { leaseMs, store } from './database.ts';

/** Writes receipts and packs parcels: a handler for each type of message. */
export const handler: BatchProcessor = createBatchProcessor(
  routes(dispatches, {
    ReceiptRequested: async ({ body }, context) => {
      await inTransaction(context, (client) =>
        client.query('INSERT INTO receipts (order_id) VALUES ($1)', [body.orderId]),
      );
    },
    ParcelRequested: route(
      async ({ body }, context) => {
        await inTransaction(context, (client) =>
          client.query('INSERT INTO parcels (order_id) VALUES ($1)', [body.orderId]),
        );
      },
      { concurrency: 2, recordTimeoutMs: 10_000 },
    ),
  }),
  { namespace: 'dispatch', leaseMs, store },
);
