import { expect, it } from '@jest/globals';
import { recordingSender, type RecordedAnswer } from 'batchlatch/testing';
import { orders } from '../../sender/messages.ts';
import { pageFiles } from '../page-files.ts';

const page = pageFiles('docs/how-to/send-from-a-web-handler.md');

it.each<[RecordedAnswer, string, number, number]>([
  ['sent', 't1', 202, 1],
  ['failed', 't1', 503, 0],
  ['unknown', 't1', 503, 0],
])(
  'docs/how-to/send-from-a-web-handler.md answers for a message that is %s',
  async (answer, tenant, status, count) => {
    const { placeOrder } = await page.load<{
      placeOrder(sender: object, tenantId: string, body: string): Promise<{ readonly statusCode: number }>;
    }>('place-order.ts');
    const sender = recordingSender(orders, { answer: () => answer });
    const order = '{"orderId":"o1","tenantId":"t2","isPaid":true}';
    expect(await placeOrder(sender, tenant, order)).toMatchObject({ statusCode: status });
    for (const bad of ['{"orderId":7}', 'null', '[]', 'no JSON', ''])
      expect(await placeOrder(sender, tenant, bad)).toMatchObject({ statusCode: 400 });
    const sent = Array.from({ length: count }, () => ({ orderId: 'o1', tenantId: tenant }));
    expect(sender.sent('OrderPlaced')).toEqual(sent);
  },
);
