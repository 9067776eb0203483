import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type BatchProcessor, PermanentError } from 'batchlatch';
import { dynamoDBAdmin } from 'batchlatch/dynamodb';
import { listClaims } from 'batchlatch/operations';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { exampleTable } from '../../support/example-table.ts';
import { pageFiles } from '../page-files.ts';

interface Charging {
  readonly handler: BatchProcessor;
  readonly payments: { charge(order: object): Promise<void> };
}

exampleTable();
const pages = {
  chargeOnce: pageFiles('docs/how-to/charge-once.md'),
  changeSchema: pageFiles('docs/how-to/change-a-schema.md'),
  deploySafely: pageFiles('docs/how-to/deploy-safely.md'),
  multiTenant: pageFiles('docs/how-to/multi-tenant.md'),
  releaseStuck: pageFiles('docs/how-to/release-stuck.md'),
  severalTypes: pageFiles('docs/how-to/several-types.md'),
};
const ALL_DONE = { batchItemFailures: [] };

describe('docs/how-to/charge-once.md', () => {
  const asked: string[] = [];
  const charged = new Map<string, object>();
  /** A provider that knows idempotency keys, declines large amounts, and loses its first answer. */
  const provider = createServer((request, response) => {
    const key = String(request.headers['idempotency-key']);
    asked.push(key);
    request.setEncoding('utf8').on('data', (text: string) => {
      const { amount } = JSON.parse(text) as { readonly amount: number };
      if (amount > 1_000) return response.writeHead(402).end();
      if (!charged.has(key)) charged.set(key, { chargeId: `charge-${charged.size + 1}` });
      return asked.length === 1 ? request.destroy() : response.end(JSON.stringify(charged.get(key)));
    });
  });
  beforeAll(async () => {
    provider.listen(0, '127.0.0.1');
    await once(provider, 'listening');
    process.env['PAYMENTS_URL'] = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  });
  afterAll(() => void provider.close());

  it('charges an order once although the answer was lost, and parks one whose card is declined', async () => {
    const { handler } = await pages.chargeOnce.load<Charging>('charge-orders.ts');
    const order = (messageId: string, orderId: string, amountCents: number) =>
      sqsEvent([{ messageId, body: { orderId, amountCents, card: 'card' } }]);

    expect(await handler(order('a', '1', 500), lambdaContext())).not.toEqual(ALL_DONE);
    expect(await handler(order('a', '1', 500), lambdaContext())).toEqual(ALL_DONE);
    expect(await handler(order('b', '1', 500), lambdaContext())).toEqual(ALL_DONE);
    expect([asked.length, new Set(asked).size, charged.size]).toEqual([2, 1, 1]);

    for (const amount of [600, 5_000, 5_000])
      await handler(order('c', String(amount), amount), lambdaContext());
    await handler(order('d', '1', 600), lambdaContext()); // another amount for order 1
    expect([asked.length, charged.size]).toEqual([4, 2]);
  });
});

it('docs/how-to/deploy-safely.md: an order that the old function charged is not charged by the new one', async () => {
  const { handler, payments } = await pages.deploySafely.load<Charging>('charge-orders.ts');
  const charge = jest.spyOn(payments, 'charge');
  const event = sqsEvent([{ body: { orderId: 'in two functions' } }]);
  for (const functionName of ['orders-old', 'orders-new']) {
    expect(await handler(event, lambdaContext({ functionName }))).toEqual(ALL_DONE);
  }
  expect(charge).toHaveBeenCalledTimes(1);
});

it('docs/how-to/multi-tenant.md: one order id of two tenants is two orders, found by their prefix', async () => {
  const { handler, payments } = await pages.multiTenant.load<Charging>('charge-orders.ts');
  const charge = jest.spyOn(payments, 'charge');
  const event = sqsEvent(
    ['acme', 'bolt', 'acme'].map((tenant) => ({
      messageGroupId: tenant,
      body: { tenant, orderId: '1' },
    })),
  );
  expect(await handler(event, lambdaContext())).toEqual(ALL_DONE);
  expect(charge).toHaveBeenCalledTimes(2);
  const { claims } = await listClaims(dynamoDBAdmin(), { keyPrefix: 'acme/charge-orders#' });
  expect(claims).toHaveLength(1);
});

it('docs/how-to/release-stuck.md: releases what one tenant waits for, and nothing of another', async () => {
  const { handler, payments } = await pages.multiTenant.load<Charging>('charge-orders.ts');
  const { releaseTenant } = await pages.releaseStuck.load<{
    releaseTenant(tenant: string, reason: string): Promise<number>;
  }>('release-tenant.ts');
  const charge = jest.spyOn(payments, 'charge').mockRejectedValue(new PermanentError('The bank is away'));
  const message = (tenant: string, orderId: string) => ({
    messageId: `${tenant}-${orderId}`,
    messageGroupId: tenant,
    body: { tenant, orderId },
  });
  const event = sqsEvent([message('coda', '1'), message('coda', '2'), message('dune', '1')]);
  await handler(event, lambdaContext());

  expect(await releaseTenant('coda', 'the bank is back')).toBe(2);

  charge.mockResolvedValue();
  expect(await handler(event, lambdaContext())).toEqual({
    batchItemFailures: [{ itemIdentifier: 'dune-1' }],
  });
});

const attribute = (stringValue: string) => ({ stringValue, dataType: 'String' as const });

it('docs/how-to/several-types.md: an order and its cancellation run, each once', async () => {
  const { handler, work } = await pages.severalTypes.load<{
    readonly handler: BatchProcessor;
    readonly work: {
      charge(orderId: string, total: number): Promise<void>;
      refund(orderId: string): Promise<void>;
    };
  }>('consume-orders.ts');
  const charge = jest.spyOn(work, 'charge');
  const refund = jest.spyOn(work, 'refund');
  const event = sqsEvent([
    {
      messageId: 'a',
      body: { orderId: '1', total: 5 },
      messageAttributes: { type: attribute('OrderPlaced') },
    },
    { messageId: 'b', body: { orderId: '1' }, messageAttributes: { type: attribute('OrderCancelled') } },
    { messageId: 'c', body: { orderId: '1' }, messageAttributes: { type: attribute('OrderShipped') } },
  ]);
  const handedBack = { batchItemFailures: [{ itemIdentifier: 'c' }] };
  expect(await handler(event, lambdaContext())).toEqual(handedBack);
  expect(await handler(event, lambdaContext())).toEqual(handedBack);
  expect([charge.mock.calls, refund.mock.calls]).toEqual([[['1', 5]], [['1']]]);
});

it('docs/how-to/change-a-schema.md: both versions of an order are the same work', async () => {
  const { handler, work } = await pages.changeSchema.load<{
    readonly handler: BatchProcessor;
    readonly work: { charge(orderId: string, totalCents: number): Promise<void> };
  }>('orders-v2.ts');
  const charge = jest.spyOn(work, 'charge');
  const type = attribute('OrderPlaced');
  const old = sqsEvent([{ body: { id: '7', total: 1.25 }, messageAttributes: { type } }]);
  const version = attribute('2');
  const now = sqsEvent([{ body: { orderId: '7', totalCents: 125 }, messageAttributes: { type, version } }]);
  expect(await handler(old, lambdaContext())).toEqual(ALL_DONE);
  expect(await handler(now, lambdaContext())).toEqual(ALL_DONE);
  expect(charge.mock.calls).toEqual([['7', 125]]);
});
