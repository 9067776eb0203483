import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatchProcessor } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { chargeOrder, options, payments } from './orders.ts';

process.env['BATCHLATCH_LOG_LEVEL'] = 'silent';

const event = sqsEvent([
  { messageId: 'a', body: { orderId: '1', amountCents: 500 } },
  { messageId: 'b', body: { orderId: '1', amountCents: 500 } },
  { messageId: 'c', body: { orderId: '2', amountCents: 700 } },
]);

test('charges an order once, however often it is delivered', async (t) => {
  const charge = t.mock.method(payments, 'charge');
  const handler = createBatchProcessor(chargeOrder, { ...options, store: memoryStore() });

  assert.deepEqual(await handler(event, lambdaContext()), { batchItemFailures: [] });
  assert.deepEqual(await handler(event, lambdaContext()), { batchItemFailures: [] });

  assert.deepEqual(
    charge.mock.calls.map(({ arguments: [order] }) => order.orderId),
    ['1', '2'],
  );
});

test('hands back only the message that failed, and charges it when it comes again', async (t) => {
  const charge = t.mock.method(payments, 'charge');
  charge.mock.mockImplementationOnce(() => Promise.reject(new Error('The provider is busy')));
  const handler = createBatchProcessor(chargeOrder, { ...options, store: memoryStore(), concurrency: 1 });
  const first = sqsEvent([{ messageId: 'a', body: { orderId: '1', amountCents: 500 } }]);

  assert.deepEqual(await handler(first, lambdaContext()), { batchItemFailures: [{ itemIdentifier: 'a' }] });
  assert.deepEqual(await handler(first, lambdaContext()), { batchItemFailures: [] });

  assert.equal(charge.mock.callCount(), 2);
});
