import { trace } from '@opentelemetry/api';
import { createBatchProcessor, payloadHash } from 'batchlatch';
import { jsonLines, observers } from 'batchlatch/observe';
import { openTelemetry } from 'batchlatch/opentelemetry';
import { charge, type Order } from './payments.ts';

const tracer = trace.getTracer('orders');

export const handler = createBatchProcessor<Order>(
  async ({ body }, { idempotencyKey }) =>
    tracer.startActiveSpan('charge', async (span) => {
      try {
        return await charge(body, { idempotencyKey });
      } finally {
        span.end();
      }
    }),
  {
    key: payloadHash({ include: ['orderId'] }),
    observer: observers(jsonLines(), openTelemetry()),
  },
);
