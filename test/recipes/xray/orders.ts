import xray from 'aws-xray-sdk-core';
import { createBatchProcessor, payloadHash } from 'batchlatch';
import { charge, type Order } from './payments.ts';

export const handler = createBatchProcessor<Order>(
  async ({ body, id }, { idempotencyKey, attempt }) =>
    xray.captureAsyncFunc('process order', async (segment) => {
      segment?.addAnnotation('recordId', id);
      segment?.addAnnotation('attempt', attempt);
      try {
        return await charge(body, { idempotencyKey });
      } catch (error) {
        segment?.addError(error as Error);
        throw error;
      } finally {
        segment?.close();
      }
    }),
  { key: payloadHash({ include: ['orderId'] }) },
);
