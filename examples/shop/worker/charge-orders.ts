import { type BatchProcessor, createBatchProcessor } from 'batchlatch';
import { routes } from 'batchlatch/messages';
import { inTransaction } from 'batchlatch/postgres';
import { orders } from '../messages.ts';
import { dispatchesOutbox, leaseMs, store } from './database.ts';

/** Charges orders. A charge, the completion of its claim and the next messages are one transaction. */
export const handler: BatchProcessor = createBatchProcessor(
  routes(orders, {
    OrderPlaced: async ({ body: { orderId, customerId, cents } }, context) => {
      await inTransaction(context, async (client) => {
        await client.query('INSERT INTO charges (order_id, cents) VALUES ($1, $2)', [orderId, cents]);
        await dispatchesOutbox.add(client, 'ReceiptRequested', { orderId, customerId, cents });
        await dispatchesOutbox.add(client, 'ParcelRequested', { orderId, customerId });
      });
    },
  }),
  { namespace: 'charge-orders', leaseMs, store },
);
