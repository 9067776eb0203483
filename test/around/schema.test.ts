import { describe, expect, it } from '@jest/globals';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type } from 'arktype';
import {
  type BatchProcessorOptions,
  createBatchProcessor,
  type InvalidBodyError,
  messageId,
  payloadHash,
  runWithoutClaim,
  standardSchema,
} from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { eventBridgeEvent, kinesisEvent, sqsEvent } from 'batchlatch/testing';
import * as v from 'valibot';
import { z } from 'zod';
import { bench, deferred, failed, fifo, messages } from '../batch/bench.ts';
import { onEachStore } from '../batch/on-each-store.ts';

const SECRET = 'correct horse battery staple';
const order = z.object({ orderId: z.string(), amountCents: z.coerce.number().int().positive() });

/** A schema of one's own. */
function schemaOf(validate: StandardSchemaV1['~standard']['validate']): StandardSchemaV1 {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

describe('A schema', () => {
  it.each<[string, StandardSchemaV1]>([
    ['zod', z.object({ amountCents: z.coerce.number() })],
    ['zod, asynchronously', z.object({ amountCents: z.coerce.number().refine(async (n) => n > 0) })],
    ['valibot', v.object({ amountCents: v.pipe(v.string(), v.digits(), v.transform(Number)) })],
    ['arktype', type({ amountCents: 'string.numeric.parse', '+': 'delete' })],
  ])('of %s gives the handler its output, and refuses the rest', async (_, schema) => {
    const b = bench();
    const bodies: unknown[] = [];
    const process = b.processor(({ body }) => void bodies.push(body), { schema: standardSchema(schema) });
    const event = sqsEvent([
      { messageId: 'good', body: { amountCents: '7', more: true } },
      { messageId: 'bad', body: { amountCents: 'seven' } },
    ]);
    expect(failed(await process(event))).toEqual(['bad']);
    expect(bodies).toEqual([{ amountCents: 7 }]);
  });

  it('types the body', async () => {
    const store = memoryStore();
    createBatchProcessor(
      ({ body }) => {
        const cents: number = body.amountCents;
        // @ts-expect-error: the schema has no such member
        const other: unknown = body.other;
        return [cents, other];
      },
      { schema: standardSchema(order), store, key: payloadHash() },
    );
    // What comes before the schema sees what was sent.
    createBatchProcessor(() => 'done', {
      schema: standardSchema(order),
      store,
      // @ts-expect-error: nobody has said yet what the body is
      key: ({ body }) => body.orderId,
    });
    createBatchProcessor<{ orderId: string }>(({ body }) => body.orderId, {
      store,
      schema: standardSchema(order),
    });
    createBatchProcessor<{ orderId: number }>(({ body }) => body.orderId, {
      store,
      // @ts-expect-error: the schema gives something else
      schema: standardSchema(order),
    });
    // Without one it is what the user says, or unknown.
    createBatchProcessor<{ orderId: string }>(({ body }) => body.orderId.length, { store });
    // @ts-expect-error: unknown
    createBatchProcessor(({ body }) => body.orderId, { store });
    createBatchProcessor.forBatches(
      (items) => {
        for (const { record } of items) {
          const cents: number = record.body.amountCents;
          // @ts-expect-error: the schema has no such member
          void [cents, record.body.other];
        }
      },
      { schema: standardSchema(order), store, key: payloadHash() },
    );
    createBatchProcessor.forBatches<{ id: string }>((items) => items.map(({ record }) => record.body.id), {
      store,
    });
    const options: BatchProcessorOptions = { store, key: messageId() };
    expect(createBatchProcessor(() => 'done', options)).toBeInstanceOf(Function);
  });

  it('gives a handler of batches its output, and keeps from it what does not fit', async () => {
    const { store, clock } = bench();
    const bodies: unknown[] = [];
    const process = createBatchProcessor.forBatches(
      (items) => void bodies.push(items.map(({ record }) => record.body)),
      { schema: standardSchema(order), store, clock, observer: { onEvent: () => undefined } },
    );
    const event = sqsEvent([
      { messageId: 'a', body: { orderId: 'A', amountCents: '1' } },
      { messageId: 'bad', body: { orderId: 'B' } },
      { messageId: 'c', body: { orderId: 'C', amountCents: '3' } },
    ]);
    expect(failed(await process(event))).toEqual(['bad']);
    expect(bodies).toEqual([
      [
        { orderId: 'A', amountCents: 1 },
        { orderId: 'C', amountCents: 3 },
      ],
    ]);
  });

  it('does not change keys: they are of what was sent', async () => {
    const b = bench();
    const key = payloadHash({ include: ['orderId'] });
    const event = sqsEvent([{ body: { orderId: 'A', amountCents: '7' } }]);
    let runs = 0;
    await b.processor(() => (runs += 1), { key })(event);
    const renamed = z.object({ orderId: z.string() }).transform(({ orderId }) => ({ id: orderId }));
    expect(
      failed(await b.processor(() => (runs += 1), { key, schema: standardSchema(renamed) })(event)),
    ).toEqual([]);
    expect(runs).toBe(1);
  });

  it('is not asked about what was done before', async () => {
    const b = bench();
    await b.run(() => 'done', ['m']);
    expect(
      await b.run(() => 'done', ['m'], { schema: standardSchema(z.object({ never: z.string() })) }),
    ).toEqual([]);
  });

  it('is for the bodies of every source', async () => {
    const b = bench();
    const bodies: unknown[] = [];
    const process = b.processor(({ body }) => void bodies.push(body), { schema: standardSchema(order) });
    await process(kinesisEvent([{ body: { orderId: 'A', amountCents: '7' } }]));
    await process(eventBridgeEvent({ orderId: 'B', amountCents: '8' }));
    expect(bodies).toEqual([
      { orderId: 'A', amountCents: 7 },
      { orderId: 'B', amountCents: 8 },
    ]);
    await expect(process(eventBridgeEvent({}))).rejects.toMatchObject({ code: 'BATCHLATCH_INVALID_BODY' });
  });
});

describe('A body that does not fit', () => {
  onEachStore((makeStore) => {
    it('parks its claim at once and is handed back, without being run', async () => {
      const b = bench(makeStore);
      let runs = 0;
      const schema = z.object({ id: z.literal('good') });
      expect(await b.run(() => (runs += 1), ['good', 'bad'], { schema: standardSchema(schema) })).toEqual([
        'bad',
      ]);
      expect(runs).toBe(1);
      expect(await b.claim('bad')).toMatchObject({
        status: 'PARKED',
        attempt: 1,
        error: { name: 'InvalidBodyError', code: 'BATCHLATCH_INVALID_BODY' },
      });
      expect(b.typesOf('bad')).toEqual(['claimed', 'settling', 'parked']);
      expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { completed: 1, invalid: 1 } }]);
    });

    it('is parked when it comes again, also after the schema was mended: somebody has to release it', async () => {
      const b = bench(makeStore);
      await b.run(() => 'done', ['m'], { schema: standardSchema(z.object({ never: z.string() })) });
      expect(await b.run(() => 'done', ['m'])).toEqual(['m']);
      expect(b.eventsOf('parked')).toHaveLength(2);
    });

    it('is parked even where `retryable` would have it otherwise', async () => {
      const b = bench(makeStore);
      const schema = z.object({ never: z.string() });
      await b.run(() => 'done', ['m'], { schema: standardSchema(schema), retryable: () => true });
      expect((await b.claim('m'))?.status).toBe('PARKED');
    });
  });

  it('holds back the rest of its message group', async () => {
    const b = bench();
    const schema = schemaOf((body) =>
      (body as { id: string }).id === 'a2' ? { issues: [{ message: 'no' }] } : { value: body },
    );
    expect(
      failed(
        await b.processor(() => 'done', { schema: standardSchema(schema) })(fifo('a1', 'a2', 'a3', 'b1')),
      ),
    ).toEqual(['a2', 'a3']);
  });

  it('is failed, not invalid, when parking it could not be stored', async () => {
    const b = bench();
    const store = { ...b.store, settle: async () => ['lost' as const] };
    const schema = schemaOf(() => ({ issues: [{ message: 'no' }] }));
    await b.run(() => 'done', ['m'], { schema: standardSchema(schema), store });
    expect(b.eventsOf('batchFinished')).toMatchObject([{ outcomes: { failed: 1 } }]);
  });
});

describe('The issues of a body that does not fit', () => {
  const parked = async (schema: StandardSchemaV1, body: unknown): Promise<InvalidBodyError> => {
    const b = bench();
    await b.processor(() => 'done', { schema: standardSchema(schema) })(sqsEvent([{ messageId: 'm', body }]));
    const [event] = b.eventsOf('parked');
    const stored = (await b.claim('m'))?.error?.message;
    const error = event?.error as InvalidBodyError;
    expect(stored).toBe(
      error.message.slice(0, 511) + (error.message.length > 512 ? '…' : error.message.slice(511)),
    );
    return error;
  };

  it('name what does not fit and why', async () => {
    const { message, issues } = await parked(
      z.object({ lines: z.array(z.object({ sku: z.string() })), id: z.string() }),
      { lines: [{ sku: 's' }, { sku: 7 }] },
    );
    expect(issues).toEqual([
      { path: 'lines.1.sku', message: 'Invalid input: expected string, received number' },
      { path: 'id', message: 'Invalid input: expected string, received undefined' },
    ]);
    expect(message).toBe(
      'The body does not fit the schema: lines.1.sku: Invalid input: expected string, received number; ' +
        'id: Invalid input: expected string, received undefined',
    );
  });

  it.each<[string, StandardSchemaV1]>([
    ['zod', z.object({ note: z.number() })],
    [
      'zod, in words of the user',
      z.object({ note: z.string().refine(() => false, { error: (i) => `not ${String(i.input)}` }) }),
    ],
    ['zod, of a member that is too much', z.strictObject({})],
    ['zod, of a union', z.union([z.object({ note: z.literal('x') }), z.object({ note: z.number() })])],
    ['valibot', v.object({ note: v.number() })],
    ['valibot, of a set', v.object({ note: v.picklist(['x', 'y']) })],
    ['arktype', type({ note: 'number' })],
    ['arktype, of a pattern', type({ note: /^\d+$/ })],
    ['arktype, of a length', type({ note: 'string < 3' })],
  ])('never hold the value: %s', async (_, schema) => {
    const { message, issues } = await parked(schema, { note: SECRET });
    expect(issues).not.toEqual([]);
    expect(`${message}${JSON.stringify(issues)}`).not.toContain(SECRET);
    expect(message.length).toBeGreaterThan('The body does not fit the schema: '.length);
  });

  it.each([
    ['a number', 4_242_424_242, '4242424242'],
    ['a short text', 'abc', 'abc'],
    ['a text with quotes', 'a "quoted" word', 'quoted'],
    ['a text within', { deep: ['hidden value'] }, 'hidden value'],
    ['more than can be looked for', Array.from({ length: 2_000 }, (_, n) => `secret-${n}`), 'secret-1999'],
  ])('never hold %s that the schema repeats', async (_, note, secret) => {
    const schema = schemaOf((body) => {
      const { note: value } = body as { note: unknown };
      const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify([value]);
      return { issues: [{ message: `bad value ${text}: try another`, path: [{ key: 'note' }] }] };
    });
    const { message, issues } = await parked(schema, { note });
    expect(issues[0]?.path).toBe('note');
    expect(message).not.toContain(secret);
  });

  it.each<[string, unknown, string, string]>([
    ['a value that begins with another', { a: 'horse', b: 'horse-battery' }, 'not horse-battery', 'not …'],
    ['the names of members', { 'acme-tenant': 1 }, 'no member acme-tenant', 'no member …'],
    ['an empty text', { a: '' }, 'too short', 'too short'],
    ['a short text inside of a word', { a: 'or' }, 'for or more', 'for … more'],
    ['what only arktype says after a line break', 1, 'must be (was "a\nb")', 'must be'],
    ['what only valibot says after a line break', 1, 'Expected x but received "a\nb"', 'Expected x'],
    ['indexes of a list', ['secret'], 'at 0: secret', 'at 0: …'],
    ['a text in four letters', { a: 'abcd' }, 'xabcdx', 'x…x'],
    ['a text in three letters', { a: 'abc' }, 'xabcx', 'xabcx'],
    ['nothing', { a: null, b: true }, 'expected null', 'expected null'],
  ])('hide %s', async (_, note, message, shown) => {
    const schema = schemaOf(() => ({ issues: [{ message, path: ['note'] }] }));
    const { issues } = await parked(schema, { note });
    expect(issues[0]?.message).toBe(shown);
  });

  it.each([
    [333, 'bad'],
    [2_000, 'does not fit'],
  ])('look for %d values at most, or show nothing of the message', async (count, shown) => {
    const schema = schemaOf(() => ({ issues: [{ message: 'bad', path: ['note'] }] }));
    const { issues } = await parked(schema, { note: Array.from({ length: count }, (_, n) => `v${n}`) });
    expect(issues[0]?.message).toBe(shown);
  });

  it('of the body itself have an empty path', async () => {
    const schema = schemaOf(() => ({ issues: [{ message: 'not this' }] }));
    const { message, issues } = await parked(schema, { note: 1 });
    expect(issues).toEqual([{ path: '', message: 'not this' }]);
    expect(message).toBe('The body does not fit the schema: not this');
  });

  it('of a path that leads nowhere are shown as they are', async () => {
    const schema = schemaOf(() => ({ issues: [{ message: 'missing', path: ['note', 'deep', 'er'] }] }));
    for (const note of [null, 'text', undefined]) {
      const { issues } = await parked(schema, { note });
      expect(issues).toEqual([{ path: 'note.deep.er', message: 'missing' }]);
    }
  });

  it.each([
    ['valibot', 'Invalid type: Expected number but received "correct horse…"'],
    ['arktype', 'note must be a number (was "correct horse…")'],
  ])('never hold the beginning of a value, in the ways of %s', async (_, message) => {
    const schema = schemaOf(() => ({ issues: [{ message, path: ['note'] }] }));
    const { issues } = await parked(schema, { note: SECRET });
    expect(issues[0]?.message).toMatch(/(Expected|be a) number$/);
  });

  it('are bounded in number and length', async () => {
    const many = Array.from({ length: 50 }, () => ({
      message: 'x'.repeat(1_000),
      path: ['p'.repeat(1_000)],
    }));
    const { issues } = await parked(
      schemaOf(() => ({ issues: many })),
      {},
    );
    expect(issues).toHaveLength(10);
    expect(issues[0]?.path).toHaveLength(100);
    expect(issues[0]?.message).toHaveLength(200);
  });

  it('tells why a body does not fit also if the record has no claim to park', async () => {
    const acquire = (): Promise<never> => Promise.reject(new Error('throttled'));
    const b = bench((clock) => ({ ...memoryStore({ clock }), acquire }));
    const schema = standardSchema(schemaOf(() => ({ issues: [{ message: 'too small' }] })));
    expect(await b.run(() => 'done', ['m'], { schema, onStoreError: runWithoutClaim() })).toEqual(['m']);
    expect(b.eventsOf('decodeFailed')).toMatchObject([
      { recordId: 'm', error: { code: 'BATCHLATCH_INVALID_BODY' } },
    ]);
  });
});

describe('A schema that fails by itself', () => {
  it.each<[string, StandardSchemaV1]>([
    [
      'throws',
      schemaOf(() => {
        throw new TypeError('bug');
      }),
    ],
    ['rejects', schemaOf(() => Promise.reject(new TypeError('bug')))],
    ['gives nothing', schemaOf(() => undefined as never)],
  ])('fails the record, which may run again: it %s', async (_, schema) => {
    const b = bench();
    const options = { schema: standardSchema(schema), retryable: () => false };
    expect(await b.run(() => 'done', ['m'], options)).toEqual(['m']);
    expect(await b.claim('m')).toMatchObject({
      status: 'FAILED',
      error: { code: 'BATCHLATCH_SCHEMA_FAILED' },
    });
    expect(b.eventsOf('decodeFailed')).toMatchObject([
      { recordId: 'm', error: { code: 'BATCHLATCH_SCHEMA_FAILED', cause: { name: 'TypeError' } } },
    ]);
    expect(await b.run(() => 'done', ['m'])).toEqual([]);
  });

  it('and never ends does not keep the answer from leaving in time, and starts nothing later', async () => {
    const b = bench();
    const end = deferred<StandardSchemaV1.Result<unknown>>();
    let runs = 0;
    const process = b.processor(() => (runs += 1), { schema: standardSchema(schemaOf(() => end.promise)) });
    const answer = process(messages('m'), b.lambda(3_000));
    await b.clock.advance(2_000);
    expect(failed(await answer)).toEqual(['m']);
    end.resolve({ value: {} });
    await b.clock.advance(999);
    expect(runs).toBe(0);
    expect(b.typesOf('m')).toEqual(['claimed', 'notStarted', 'settling']);
    expect(await b.claim('m')).toMatchObject({ status: 'FAILED', releases: 1 });
  });
});
