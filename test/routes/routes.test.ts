import { describe, expect, it } from '@jest/globals';
import {
  type BatchProcessorOptions,
  createBatchProcessor,
  deadLetterQueue,
  payloadHash,
  PermanentError,
} from 'batchlatch';
import { route, type RouteHandlers, routes, type RoutesOptions } from 'batchlatch/messages';
import { sqsEvent, type SqsMessage } from 'batchlatch/testing';
import { type Bench, bench, failed } from '../batch/bench.ts';
import { orders, typed, versioned } from './orders.ts';

function mustNotBeCalled(): void {
  throw new Error('must not be called');
}

type Handlers = RouteHandlers<typeof orders.types>;

interface Ran {
  readonly failed: string[];
  /** Each call of a handler: its type and its body. */
  readonly calls: [string, unknown][];
  readonly keys: string[];
}

/** Runs messages through routes that note their calls. */
async function run(
  b: Bench,
  messages: readonly SqsMessage[],
  {
    handlers,
    by,
    otherwise,
    ...options
  }: Partial<RoutesOptions> & {
    handlers?: Partial<Handlers>;
  } & BatchProcessorOptions = {},
): Promise<Ran> {
  const calls: [string, unknown][] = [];
  const keys: string[] = [];
  const noting =
    (type: string) =>
    ({ body }: { readonly body: unknown }, { idempotencyKey }: { readonly idempotencyKey: string }): void => {
      calls.push([type, body]);
      keys.push(idempotencyKey.replace(/^.*?#/, ''));
    };
  const given = {
    OrderPlaced: noting('OrderPlaced'),
    OrderCancelled: noting('OrderCancelled'),
    Pinged: noting('Pinged'),
    ...handlers,
  };
  const { schema: _none, ...rest } = options;
  const processor = createBatchProcessor(
    routes(orders, given, { ...(by && { by }), ...(otherwise && { otherwise }) }),
    {
      store: b.store,
      clock: b.clock,
      namespace: 'shop',
      observer: { onEvent: (e) => void b.events.push(e) },
      ...rest,
    },
  );
  const response = await processor(sqsEvent(messages.map((one, at) => ({ messageId: `m${at}`, ...one }))));
  return { failed: failed(response), calls, keys };
}

describe('routes()', () => {
  it("gives each record to the handler of its type, with its schema's output as the body", async () => {
    const { failed: none, calls } = await run(bench(), [
      typed('OrderPlaced', { orderId: '1', total: '12' }),
      typed('OrderCancelled', { orderId: '1' }),
    ]);
    expect(none).toEqual([]);
    expect(calls).toEqual([
      ['OrderPlaced', { orderId: '1', total: 12 }],
      ['OrderCancelled', { orderId: '1' }],
    ]);
  });

  it('makes the type part of the key, so a cancellation is no duplicate of its order', async () => {
    const b = bench();
    const placed = typed('OrderPlaced', { orderId: '1', total: 1 });
    const cancelled = typed('OrderCancelled', { orderId: '1' });
    const { keys } = await run(b, [placed, cancelled, placed]);
    expect(keys).toEqual([
      expect.stringMatching(/^t1:OrderPlaced:[\da-f]{64}$/),
      expect.stringMatching(/^t1:OrderCancelled:[\da-f]{64}$/),
    ]);
    expect((await run(b, [cancelled, placed])).calls).toEqual([]);
  });

  it('hands back a type without a handler as invalid, and keeps it from the dead-letter queue', async () => {
    const b = bench();
    const sent: unknown[] = [];
    const { failed: handedBack, calls } = await run(b, [typed('OrderShipped', {}), { body: {} }], {
      sqs: {
        sendMessage: async (input: unknown) => void sent.push(input),
        changeMessageVisibilityBatch: mustNotBeCalled,
      } as never,
      deadLetter: deadLetterQueue({ url: 'https://sqs.test/dead' }),
    });
    expect(handedBack).toEqual(['m0', 'm1']);
    expect([calls, sent]).toEqual([[], []]);
    expect(b.eventsOf('invalid').map(({ error }) => (error as Error).message)).toEqual([
      'No route handles the type "OrderShipped"; deploy a consumer that does, or set `otherwise`',
      'The record has no type; deploy a consumer that does, or set `otherwise`',
    ]);
  });

  it('gives other types to `otherwise`, under keys of their own', async () => {
    const seen: unknown[] = [];
    const keys: string[] = [];
    const { failed: none } = await run(
      bench(),
      [typed('A:B', { id: 1 }), typed('A', { id: 1 }), { body: { id: 1 } }, typed('__proto__', { id: 1 })],
      {
        key: payloadHash(),
        otherwise: ({ body }, { idempotencyKey }) => {
          seen.push(body);
          keys.push(idempotencyKey);
        },
      },
    );
    expect(none).toEqual([]);
    expect(seen).toEqual([{ id: 1 }, { id: 1 }, { id: 1 }, { id: 1 }]);
    expect(keys.map((key) => key.slice(0, -65))).toEqual([
      'shop#t1:A%3AB',
      'shop#t1:A',
      'shop#t1:',
      'shop#t1:__proto__',
    ]);
  });

  it("uses the outbox id for types without a key, and else the processor's key", async () => {
    const { keys } = await run(bench(), [typed('Pinged', {}, { outboxId: 'row-7' }), typed('Pinged', {})]);
    expect(keys).toEqual(['t1:Pinged:row-7', 't1:Pinged:m1']);
  });

  it('keeps the keys of one type with `keysAsBefore`: rows of before are duplicates', async () => {
    const b = bench();
    const before = createBatchProcessor(() => undefined, {
      store: b.store,
      clock: b.clock,
      namespace: 'shop',
      key: payloadHash({ include: ['orderId'] }),
    });
    await before(sqsEvent([{ body: { orderId: '1', total: 1 } }]));
    const placed = typed('OrderPlaced', { orderId: '1', total: 1 });
    const asBefore = { OrderPlaced: route(() => void calls.push('ran'), { keysAsBefore: true }) };
    const calls: string[] = [];
    const { keys } = await run(b, [placed, typed('OrderCancelled', { orderId: '1' })], {
      handlers: asBefore,
    });
    expect(calls).toEqual([]);
    expect(keys).toEqual([expect.stringMatching(/^t1:OrderCancelled:/)]);
    // Without it the type is part of the key, and the work would run again.
    await run(b, [placed], { handlers: { OrderPlaced: () => void calls.push('ran again') } });
    expect(calls).toEqual(['ran again']);
  });

  it("keeps the processor's own keys, too, for a type without one", async () => {
    const b = bench();
    const before = createBatchProcessor(() => undefined, {
      store: b.store,
      clock: b.clock,
      namespace: 'shop',
    });
    await before(sqsEvent([{ messageId: 'm0', body: {} }]));
    const handlers = { Pinged: route(mustNotBeCalled, { keysAsBefore: true }) };
    expect((await run(b, [typed('Pinged', {})], { handlers })).failed).toEqual([]);
  });

  it.each<[string, object, object, string]>([
    [
      'a type without a handler',
      { OrderPlaced: () => 1, Pinged: () => 1 },
      {},
      'Expected the handler of `OrderCancelled` to be a function, got undefined',
    ],
    [
      'a handler without a type',
      { OrderPlaced: () => 1, OrderCancelled: () => 1, Pinged: () => 1, OrderPlacd: () => 1 },
      {},
      'routes: Expected one of OrderPlaced, OrderCancelled, Pinged, got `OrderPlacd`',
    ],
    [
      'two types with keys of before',
      {
        OrderPlaced: route(() => 1, { keysAsBefore: true }),
        OrderCancelled: route(() => 1, { keysAsBefore: true }),
        Pinged: () => 1,
      },
      {},
      'routes: Expected `keysAsBefore` for one type only, as two types could share a key',
    ],
    [
      'keys of before for other types',
      { OrderPlaced: () => 1, OrderCancelled: () => 1, Pinged: () => 1 },
      { otherwise: route(() => 1, { keysAsBefore: true }) },
      'routes: Expected `keysAsBefore` for one type only, as two types could share a key',
    ],
  ])('refuses %s at start', (_what, handlers, options, text) => {
    expect(() => routes(orders, handlers as unknown as Handlers, options)).toThrow(text);
  });

  it('refuses a schema of the processor, and whole keys', () => {
    const all = routes(orders, { OrderPlaced: () => 1, OrderCancelled: () => 1, Pinged: () => 1 });
    const schema = { option: 'schema', check: async () => undefined } as never;
    expect(() => createBatchProcessor(all, { schema })).toThrow('Expected no `schema` with routes(…)');
    const key = Object.assign(() => 'k', { isWholeKey: true as const });
    expect(() => createBatchProcessor(all, { key })).toThrow('two types could share one');
  });
});

describe('versions', () => {
  const handled: unknown[] = [];
  const processor = (
    b: Bench,
    options: BatchProcessorOptions = {},
  ): ReturnType<typeof createBatchProcessor> => {
    const { schema: _none, ...rest } = options;
    return createBatchProcessor(routes(versioned, { OrderPlaced: ({ body }) => void handled.push(body) }), {
      store: b.store,
      clock: b.clock,
      namespace: 'shop',
      observer: { onEvent: (event) => void b.events.push(event) },
      ...rest,
    });
  };

  it('gives an old and a new version of the same work the same key', async () => {
    handled.length = 0;
    const b = bench();
    const old = typed('OrderPlaced', { id: '1' });
    const now = typed('OrderPlaced', { orderId: '1' }, { version: '2' });
    expect(failed(await processor(b)(sqsEvent([old, now])))).toEqual([]);
    expect(failed(await processor(b)(sqsEvent([now, old])))).toEqual([]);
    expect(handled).toEqual([{ orderId: '1' }]);
  });

  it('gives both the same hash for `payloadValidation`', async () => {
    const b = bench();
    const payloadValidation = payloadHash();
    await processor(b, { payloadValidation })(sqsEvent([typed('OrderPlaced', { id: '1' })]));
    const now = typed('OrderPlaced', { orderId: '1' }, { version: '2' });
    expect(failed(await processor(b, { payloadValidation })(sqsEvent([now])))).toEqual([]);
  });

  it.each(['3', '0', '1.0', 'new', ''])('hands back version %j, which it does not know', async (version) => {
    const b = bench();
    const message = { messageId: 'm', ...typed('OrderPlaced', { orderId: '1' }, { version }) };
    expect(failed(await processor(b)(sqsEvent([message])))).toEqual(['m']);
    expect(b.eventsOf('invalid')).toMatchObject([{ error: { code: 'BATCHLATCH_UNKNOWN_VERSION' } }]);
  });

  it('refuses a body that does not fit its own version, without its values', async () => {
    const b = bench();
    await processor(b)(sqsEvent([typed('OrderPlaced', { id: 17 })]));
    expect(b.eventsOf('invalid')).toMatchObject([{ error: { code: 'BATCHLATCH_INVALID_BODY' } }]);
  });

  it('upgrades a long body again where it was forgotten, and keeps its text', async () => {
    handled.length = 0;
    const id = 'x'.repeat(300_000);
    const b = bench();
    const text = JSON.stringify({ id });
    const seen: string[] = [];
    const all = routes(versioned, {
      OrderPlaced: ({ body, rawBody }) => {
        handled.push(body);
        seen.push(rawBody);
      },
    });
    const { store, clock } = b;
    const { messageAttributes } = typed('OrderPlaced', {});
    await createBatchProcessor(all, { store, clock, namespace: 'shop' })(
      sqsEvent([{ body: text, messageAttributes }]),
    );
    expect(handled).toEqual([{ orderId: id }]);
    expect(seen).toEqual([text]);
  });

  it('sends a dead letter with the body of the old version and its attributes, so it can be redriven', async () => {
    const b = bench();
    type Letter = { MessageBody: string; MessageAttributes: Record<string, { StringValue: string }> };
    const letters: Letter[] = [];
    const sqs = {
      sendMessage: async (input: unknown) => void letters.push(input as Letter),
      changeMessageVisibilityBatch: mustNotBeCalled,
    } as never;
    const deadLetter = deadLetterQueue({ url: 'https://sqs.test/dead' });
    const fail = (): void => {
      throw new PermanentError('no such customer');
    };
    const { store, clock } = b;
    const failing = createBatchProcessor(routes(versioned, { OrderPlaced: fail }), {
      store,
      clock,
      namespace: 'shop',
      observer: { onEvent: () => undefined },
      sqs,
      deadLetter,
    });
    const needed = { ExtendedPayloadSize: '9', type: 'OrderPlaced', version: '1', outboxId: 'row-7' };
    const others = { a: '1', b: '2', c: '3' };
    const sent = { ...typed('', {}, { ...others, ...needed }), body: { id: '1' } };
    expect(failed(await failing(sqsEvent([sent])))).toEqual([]);
    const [letter] = letters;
    expect(letter?.MessageBody).toBe('{"id":"1"}');
    const values = Object.entries(letter?.MessageAttributes ?? {}).map(([name, one]) => [
      name,
      one.StringValue,
    ]);
    expect(Object.fromEntries(values)).toMatchObject({
      ErrorName: 'PermanentError',
      IdempotencyKey: expect.stringMatching(/^shop#t1:OrderPlaced:/),
      ...needed,
    });
  });

  it('makes no key of a number that a double cannot hold', async () => {
    const b = bench();
    const message = (text: string): SqsMessage => ({ ...typed('OrderPlaced', {}), body: text });
    await run(b, [message('{"orderId": 1.000000000000000001, "total": 1}')]);
    expect(b.eventsOf('invalid')).toMatchObject([{ error: { code: 'BATCHLATCH_KEY' } }]);
  });
});
