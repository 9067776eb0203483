import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { beforeEach, expect, it, vi } from 'vitest';
import { createOrders } from './orders.ts';
import { charge } from './payments.ts';

vi.mock('./payments.ts');
beforeEach(() => vi.mocked(charge).mockReset());

const order = { body: { orderId: 'A' } };

it('charges an order once, however often it is delivered', async () => {
  const handler = createOrders({ store: memoryStore() });
  await handler(sqsEvent([order, order]), lambdaContext());
  expect(await handler(sqsEvent([order]), lambdaContext())).toEqual({ batchItemFailures: [] });
  expect(charge).toHaveBeenCalledTimes(1);
});

it('hands back what could not be charged, and charges it when it comes again', async () => {
  const handler = createOrders({ store: memoryStore() });
  vi.mocked(charge).mockRejectedValueOnce(new Error('The provider is busy'));
  const event = sqsEvent([{ messageId: 'm-1', ...order }]);
  expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
  expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [] });
  expect(charge).toHaveBeenCalledTimes(2);
});
