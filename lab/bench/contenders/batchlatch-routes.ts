import { createBatchProcessor, payloadHash, standardSchema } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { message, messages, routes } from 'batchlatch/messages';
import { z } from 'zod';
import { CONCURRENCY, SILENT } from './batchlatch-processor.ts';
import type { MakeBatchHandler } from './contender.ts';

const ORDER = z.object({
  orderId: z.string(),
  customer: z.object({ id: z.string(), email: z.string() }),
  items: z.array(z.object({ sku: z.string(), quantity: z.number(), cents: z.number() })),
  isBroken: z.boolean(),
});
const KEY = ['orderId'] as const;

const orders = messages({
  OrderPlaced: message(ORDER, { key: KEY }),
  OrderCancelled: message(ORDER, { key: KEY }),
});

/** One type of message: a schema and a key, without routes. */
export const batchlatchMemorySchema: MakeBatchHandler = ({ handler }) =>
  createBatchProcessor(({ body }) => handler(body), {
    store: memoryStore(),
    schema: standardSchema(ORDER),
    key: payloadHash({ include: KEY }),
    concurrency: CONCURRENCY,
    observer: SILENT,
  });

/** The same schema and key, found by the type of each message. */
export const batchlatchMemoryRoutes: MakeBatchHandler = ({ handler }) =>
  createBatchProcessor(
    routes(orders, {
      OrderPlaced: ({ body }) => handler(body),
      OrderCancelled: ({ body }) => handler(body),
    }),
    { store: memoryStore(), concurrency: CONCURRENCY, observer: SILENT },
  );
