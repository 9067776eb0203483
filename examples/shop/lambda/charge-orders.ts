import { randomUUID } from 'node:crypto';
import { type BatchProcessor, createBatchProcessor, eventBridgeEnvelope } from 'batchlatch';
import { routes } from 'batchlatch/messages';
import { commit } from 'batchlatch/dynamodb';
import { orders } from '../messages.ts';
import { outbox, put } from './shop.ts';

/** Charges orders. A charge, the completion of its claim and the next messages are one transaction. */
export const handler: BatchProcessor = createBatchProcessor(
  routes(orders, {
    OrderPlaced: async ({ body: { orderId, customerId, cents } }, context) => {
      await commit(context, [
        put(orderId, `charge ${randomUUID()}`, { cents }),
        outbox.message('ReceiptRequested', { orderId, customerId, cents }),
        outbox.message('ParcelRequested', { orderId, customerId }),
      ]);
    },
  }),
  { namespace: 'charge-orders', decode: eventBridgeEnvelope() },
);
