import { randomUUID } from 'node:crypto';
import { type BatchProcessor, createBatchProcessor, eventBridgeEnvelope } from 'batchlatch';
import { route, routes } from 'batchlatch/messages';
import { commit } from 'batchlatch/dynamodb';
import { dispatches } from '../messages.ts';
import { put } from './shop.ts';

/** Writes receipts and packs parcels: a handler for each type of message. */
export const handler: BatchProcessor = createBatchProcessor(
  routes(dispatches, {
    ReceiptRequested: async ({ body }, context) => {
      await commit(context, [put(body.orderId, `receipt ${randomUUID()}`)]);
    },
    ParcelRequested: route(
      async ({ body }, context) => {
        await commit(context, [put(body.orderId, `parcel ${randomUUID()}`)]);
      },
      { concurrency: 2, recordTimeoutMs: 10_000 },
    ),
  }),
  { namespace: 'dispatch', decode: eventBridgeEnvelope() },
);
