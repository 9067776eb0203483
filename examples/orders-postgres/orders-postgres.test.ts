/** The handler without a database: the client of its transactions is the test's own. */
import { expect, it } from '@jest/globals';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { createOrdersPostgres } from './orders-postgres.ts';

it('places each order once, and gives up what can never be placed', async () => {
  const written: unknown[] = [];
  const transactionClient = {
    async query(text: string, values: readonly unknown[]) {
      if (text.startsWith('INSERT')) written.push(values);
      return { rows: [], rowCount: values[0] === 'sold-out' ? 0 : 1 };
    },
  };
  const handler = createOrdersPostgres(memoryStore({ transactionClient }), {
    observer: { onEvent: () => undefined },
  });
  const order = (orderId: string, sku: string, quantity = 1) => ({
    messageId: orderId,
    body: { orderId, sku, quantity },
  });
  const event = sqsEvent([order('o-1', 'book'), order('o-2', 'sold-out'), order('o-3', 'book', -1)]);

  for (let delivery = 1; delivery <= 2; delivery += 1) {
    expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [{ itemIdentifier: 'o-3' }] });
  }

  expect(written).toEqual([
    ['o-1', 'book', 1, 'placed'],
    ['o-2', 'sold-out', 1, 'out-of-stock'],
  ]);
});
