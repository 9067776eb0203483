import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { createOrders } from './orders';
import { charge } from './payments';

jest.mock('./payments');

it('charges an order once, however often it is delivered', async () => {
  const handler = createOrders({ store: memoryStore() });
  const order = { body: { orderId: 'A' } };
  await handler(sqsEvent([order]), lambdaContext());
  expect(await handler(sqsEvent([order]), lambdaContext())).toEqual({ batchItemFailures: [] });
  expect(charge).toHaveBeenCalledTimes(1);
});
