import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { messageEncoder } from '../../src/messages/encode-message.ts';
import { message } from '../../src/messages/message.ts';
import { messages } from '../../src/messages/messages.ts';
import { orders } from '../sender/messages.ts';

const encode = messageEncoder(orders);
const body = { orderId: 'o1', tenantId: 't1' };

describe('an encoded message', () => {
  it('has the body as given: the output of the schema is for the consumer', async () => {
    const types = messages({
      Dated: message(z.object({ at: z.string().transform((text) => new Date(text)) })),
    });
    expect((await messageEncoder(types)('Dated', { at: '2026-01-01' })).body).toBe('{"at":"2026-01-01"}');
  });

  it('has a deduplication id of type and key, so that a cancellation is no copy of its order', async () => {
    const [first, again, cancelled] = await Promise.all([
      encode('OrderPlaced', body),
      encode('OrderPlaced', { ...body, note: 'again' }),
      encode('OrderCancelled', body),
    ]);
    expect(first.deduplicationId).toBe(again.deduplicationId);
    expect(first.deduplicationId).not.toBe(cancelled.deduplicationId);
    expect(first.deduplicationId).toBe(hash('sha256', `OrderPlaced:${hash('sha256', '{"orderId":"o1"}')}`));
  });

  it('names its outbox row, which makes it unique if the type has no key', async () => {
    const types = messages({ Note: message(z.string()) });
    const one = await messageEncoder(types)('Note', 'a', 'row-1');
    expect(await messageEncoder(types)('Note', 'a', 'row-1')).toEqual(one);
    expect(one.attributes).toEqual({ type: 'Note', outboxId: 'row-1' });
    expect((await messageEncoder(types)('Note', 'a')).deduplicationId).not.toBe(one.deduplicationId);
  });

  it('has the group that its JSON names, whatever the body was made of', async () => {
    const json = { orderId: 'o1', tenantId: 'sent' };
    const given = { orderId: 'o1', tenantId: 'given', toJSON: () => json };
    expect((await encode('OrderPlaced', given)).group).toBe('sent');
  });

  it('needs a key where nothing is deduplicated too', async () => {
    const types = messages({ Any: message(z.any(), { key: ['orderId'] }) });
    const encodeAny = messageEncoder(types, { deduplicates: false });
    expect((await encodeAny('Any', { orderId: 'o1' })).deduplicationId).toBeUndefined();
    const hidden = Object.defineProperty({}, 'orderId', { value: 'o1' });
    for (const wrong of [hidden, {}, { orderId: '' }, { orderId: null }, 'o1']) {
      await expect(async () => encodeAny('Any', wrong)).rejects.toMatchObject({ code: 'BATCHLATCH_KEY' });
    }
  });

  it.each([
    ['an empty key', () => ''],
    ['a promise', async () => 'o1'],
    ['no key', () => undefined],
    ['half of a surrogate pair', () => '\ud800'],
  ])('is refused if its function returns %s: different messages would be copies', async (_what, key) => {
    const types = messages({ Any: message(z.any(), { key: key as () => string }) });
    for (const deduplicates of [true, false]) {
      const encodeAny = messageEncoder(types, { deduplicates });
      await expect(async () => encodeAny('Any', {})).rejects.toMatchObject({ code: 'BATCHLATCH_KEY' });
    }
  });

  it('may have a schema that validates asynchronously', async () => {
    const schema = z.object({ orderId: z.string().refine(async (id) => id !== 'o2') });
    const encodeLater = messageEncoder(messages({ Later: message(schema, { key: ['orderId'] }) }));
    expect((await encodeLater('Later', { orderId: 'o1' })).body).toBe('{"orderId":"o1"}');
    await expect(encodeLater('Later', { orderId: 'o2' })).rejects.toMatchObject({
      code: 'BATCHLATCH_INVALID_MESSAGE',
    });
  });

  it('is refused for a body that does not fit, without quoting it', async () => {
    const refused = async () => encode('OrderPlaced', { orderId: 'secret', tenantId: 7 });
    await expect(refused()).rejects.toMatchObject({
      code: 'BATCHLATCH_INVALID_MESSAGE',
      issues: [{ path: 'tenantId' }],
    });
    await expect(refused()).rejects.not.toThrow(/secret/);
  });
});
