import { payloadHash, deadLetterQueue } from 'batchlatch';
import { describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import type { BatchProcessorOptions, RecordHandler, SqsClient } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { sqsEvent } from 'batchlatch/testing';
import { bench, failed } from './bench.ts';

/** One message per body; its key is the order id in the body. */
const orders = (...bodies: unknown[]): SQSEvent =>
  sqsEvent(bodies.map((body, index) => ({ messageId: `m${index}`, body })));
const byOrderId: BatchProcessorOptions = {
  key: ({ rawBody }) => /"id" ?: ?(\d+)/.exec(rawBody)?.[1] ?? '',
  payloadValidation: payloadHash({ include: ['amountCents', 'customer.id'] }),
};
const order = (members: object = {}): object => ({
  id: 1,
  amountCents: 100,
  customer: { id: 'c-1', name: 'Ada' },
  ...members,
});
const succeeds: RecordHandler = () => 'done';

describe('payloadValidation', () => {
  it.each<[string, object | string]>([
    ['another amount', order({ amountCents: 999 })],
    ['a text for a number', order({ amountCents: '100' })],
    ['another customer', order({ customer: { id: 'c-2', name: 'Ada' } })],
  ])('refuses a key that comes again with %s: neither run nor acknowledged', async (_, body) => {
    const b = bench();
    await b.processor(succeeds, byOrderId)(orders(order()));
    let runs = 0;
    const process = b.processor(() => (runs += 1), byOrderId);
    expect(failed(await process(orders(body)))).toEqual(['m0']);
    expect(runs).toBe(0);
    expect(b.eventsOf('mismatch')).toEqual([{ type: 'mismatch', recordId: 'm0', key: b.key('1') }]);
    expect(b.eventsOf('batchFinished')[1]?.outcomes).toEqual({ mismatch: 1 });
    expect((await b.claim('1'))?.status).toBe('COMPLETED');
  });

  it('may be a function, which gives the hash', async () => {
    const b = bench();
    const options: BatchProcessorOptions = {
      ...byOrderId,
      payloadValidation: ({ body }) => String((body as { amountCents: number }).amountCents),
    };
    const process = b.processor(succeeds, options);
    await process(orders(order()));
    expect(await b.claim('1')).toMatchObject({ payloadHash: '100' });
    expect(failed(await process(orders(order({ customer: null }))))).toEqual([]);
    expect(failed(await process(orders(order({ amountCents: 999 }))))).toEqual(['m0']);
    expect(b.eventsOf('mismatch')).toHaveLength(1);
  });

  it.each([[''], [undefined], [7]])('gives no hash with %p: the record alone fails', async (hash) => {
    const b = bench();
    const payloadValidation = ({ body }: { body: unknown }) =>
      (body as { id: number }).id === 1 ? (hash as string) : 'a';
    const process = b.processor(succeeds, { ...byOrderId, payloadValidation });
    expect(failed(await process(orders(order(), order({ id: 2 }))))).toEqual(['m0']);
    expect(b.eventsOf('invalid')).toMatchObject([{ recordId: 'm0', error: { code: 'BATCHLATCH_KEY' } }]);
  });

  it('gives a promise: the record fails, and what it rejects with ends nothing', async () => {
    const b = bench();
    const payloadValidation = (async () => Promise.reject(new Error('no'))) as unknown as () => string;
    expect(failed(await b.processor(succeeds, { ...byOrderId, payloadValidation })(orders(order())))).toEqual(
      ['m0'],
    );
    expect(b.eventsOf('invalid')).toMatchObject([
      { error: { message: expect.stringMatching(/payloadValidation.*promise/) } },
    ]);
  });

  it.each<[string, object | string]>([
    ['other members that nobody listed', order({ note: 'again', customer: { id: 'c-1', name: 'Grace' } })],
    ['its members in another order', { customer: { id: 'c-1' }, amountCents: 100, id: 1 }],
    ['the same number written otherwise', '{"id": 1, "amountCents": 1e2, "customer": {"id": "c-1"}}'],
  ])('takes a key that comes again with %s for a duplicate', async (_, body) => {
    const b = bench();
    const process = b.processor(succeeds, byOrderId);
    await process(orders(order()));
    expect(failed(await process(orders(body)))).toEqual([]);
    expect(b.eventsOf('duplicate')).toHaveLength(1);
  });

  it('refuses it also while the first runs, and after the first failed', async () => {
    const b = bench();
    const handler: RecordHandler = async () => {
      const meanwhile = await b.processor(succeeds, byOrderId)(orders(order({ amountCents: 999 })));
      expect(failed(meanwhile)).toEqual(['m0']);
      throw new Error('declined');
    };
    await b.processor(handler, byOrderId)(orders(order()));
    const after = await b.processor(succeeds, byOrderId)(orders(order({ amountCents: 999 })));
    expect(failed(after)).toEqual(['m0']);
    expect(b.eventsOf('mismatch')).toHaveLength(2);
  });

  it('refuses the later of two in one batch, and runs the first', async () => {
    const b = bench();
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id), byOrderId);
    const event = orders(order(), order({ amountCents: 999 }), order());
    expect(failed(await process(event))).toEqual(['m1']);
    expect(runs).toEqual(['m0']);
    expect(b.eventsOf('batchFinished')).toMatchObject([
      { outcomes: { completed: 1, mismatch: 1, duplicate: 1 } },
    ]);
  });

  it('asks for the claim of the later of two in one batch only when the first has ended', async () => {
    let asked = 0;
    const b = bench((clock) => {
      const store = memoryStore({ clock });
      return {
        ...store,
        acquire(requests, options) {
          asked += requests.length;
          return store.acquire(requests, options);
        },
      };
    });
    const askedWhileRunning: number[] = [];
    const process = b.processor(() => void askedWhileRunning.push(asked), byOrderId);
    expect(failed(await process(orders(order(), order({ amountCents: 999 }))))).toEqual(['m1']);
    expect(askedWhileRunning).toEqual([1]);
    expect(asked).toBe(2);
  });

  it('runs a legitimate retry behind a bogus record of its key, and takes only the bogus one for a mismatch', async () => {
    const b = bench();
    await b.processor(() => Promise.reject(new Error('timeout')), byOrderId)(orders(order()));
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id), byOrderId);
    const event = orders(order({ amountCents: 999 }), order(), order({ amountCents: 999 }));
    expect(failed(await process(event))).toEqual(['m0', 'm2']);
    expect(runs).toEqual(['m1']);
    expect(b.eventsOf('batchFinished')[1]?.outcomes).toEqual({ mismatch: 2, completed: 1 });
  });

  it('sends only the bogus record to the dead-letter queue', async () => {
    const b = bench();
    await b.processor(() => Promise.reject(new Error('timeout')), byOrderId)(orders(order()));
    const sent: string[] = [];
    const sqs: SqsClient = {
      changeMessageVisibilityBatch: () => Promise.resolve({}),
      sendMessage: async ({ MessageBody }) => void sent.push(MessageBody),
    };
    const deadLetter = deadLetterQueue({ url: 'https://sqs.eu-west-1.amazonaws.com/123456789012/dead' });
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id), { ...byOrderId, sqs, deadLetter });
    expect(failed(await process(orders(order({ amountCents: 999 }), order())))).toEqual([]);
    expect(runs).toEqual(['m1']);
    expect(sent).toEqual([JSON.stringify(order({ amountCents: 999 }))]);
  });

  it('keeps the order of a message group around records of one key with different payloads', async () => {
    const b = bench();
    const runs: string[] = [];
    const process = b.processor(({ id }) => void runs.push(id), byOrderId);
    const bodies = [order(), order({ amountCents: 999 }), order({ id: 2 })];
    const event = sqsEvent(
      bodies.map((body, index) => ({ messageId: `m${index}`, body, messageGroupId: 'g' })),
      { fifo: true },
    );
    expect(failed(await process(event))).toEqual(['m1', 'm2']);
    expect(runs).toEqual(['m0']);
  });

  it.each<[string, object]>([
    ['lacks the value', { id: 1, customer: { id: 'c-1' } }],
    ['has null for it', order({ amountCents: null })],
    ['lacks what it is inside of', { id: 1, amountCents: 100 }],
  ])('fails a record alone that %s', async (_, body) => {
    const b = bench();
    const event = orders(order({ id: 2 }), body);
    expect(failed(await b.processor(succeeds, byOrderId)(event))).toEqual(['m1']);
    expect(b.eventsOf('invalid')).toMatchObject([{ recordId: 'm1', error: { code: 'BATCHLATCH_KEY' } }]);
  });

  it('keeps a hash in the row, never the values', async () => {
    const b = bench();
    await b.processor(succeeds, byOrderId)(orders(order({ amountCents: 123_456_789 })));
    const row = await b.claim('1');
    expect(row?.payloadHash).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(row)).not.toContain('123456789');
  });

  it('is off by default: the key alone decides', async () => {
    const b = bench();
    const { payloadValidation: _, ...keyOnly } = byOrderId;
    const process = b.processor(succeeds, keyOnly);
    expect(failed(await process(orders(order(), order({ amountCents: 999 }))))).toEqual([]);
  });
});
