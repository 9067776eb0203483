import { describe, expect, it } from '@jest/globals';
import { recordingSender } from 'batchlatch/testing';
import { orders, placed } from '../sender/messages.ts';

describe('recordingSender', () => {
  it('keeps the bodies of each type, in order', async () => {
    const sender = recordingSender(orders);
    await sender.send('OrderPlaced', { orderId: 'o1', tenantId: 't1' });
    await sender.sendAll([placed('o2'), { type: 'OrderCancelled', body: { orderId: 'o1', tenantId: 't1' } }]);
    const bodies: { orderId: string }[] = sender.sent('OrderPlaced');
    expect(bodies.map(({ orderId }) => orderId)).toEqual(['o1', 'o2']);
    expect(sender.sent('OrderCancelled')).toHaveLength(1);
  });

  it('refuses bodies as a sender does', async () => {
    const sender = recordingSender(orders);
    const body = { orderId: 'o1' } as { orderId: string; tenantId: string };
    await expect(sender.send('OrderPlaced', body)).rejects.toMatchObject({
      code: 'BATCHLATCH_INVALID_MESSAGE',
    });
    expect(sender.sent('OrderPlaced')).toEqual([]);
  });

  it('answers as a test wants it', async () => {
    const sender = recordingSender(orders, {
      answer: (_, body) => (body as { tenantId: 'sent' | 'failed' | 'unknown' }).tenantId,
    });
    const all = [placed('o1', 'failed'), placed('o2', 'unknown'), placed('o3', 'sent')] as const;
    expect(await sender.sendAll(all)).toMatchObject({
      sent: [all[2]],
      failed: [{ message: all[0], isRetryable: true }],
      unknown: [{ message: all[1] }],
    });
    await expect(sender.send('OrderPlaced', all[1].body)).rejects.toMatchObject({ isUnknown: true });
  });

  it('keeps what a relay sends', async () => {
    const sender = recordingSender(orders);
    const encoded = {
      type: 'OrderPlaced',
      body: '{"orderId":"o1"}',
      attributes: {},
      group: 't1',
      deduplicationId: 'd',
    };
    expect((await sender.sendEncoded([encoded])).sent).toEqual([encoded]);
    expect(sender.sent('OrderPlaced')).toEqual([{ orderId: 'o1' }]);
  });
});
