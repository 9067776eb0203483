import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  type ClaimStore,
  createBatchProcessor,
  PermanentError,
  resultsIn,
  type Settlement,
  type SettleOutcome,
  StoreError,
  waitForOwner,
} from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import {
  argumentHash,
  type CallContext,
  type IdempotencyOptions,
  withIdempotency,
  withIdempotencyContext,
} from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock, sqsEvent } from 'batchlatch/testing';
import { emulatedTable } from '../support/emulated-table.ts';
import { memoryResultStorage } from '../support/memory-result-storage.ts';
import { turn } from '../batch/on-each-store.ts';
import { until } from '../support/until.ts';
import { gate } from './gate.ts';

class Money {
  readonly cents = 5;
}

class Hidden extends Array<number> {
  toJSON(): undefined {
    return undefined;
  }
}

interface Order {
  readonly id: string;
  readonly amountCents?: number;
  readonly tenant?: string;
}

describe.each(['memoryStore', 'dynamoDBStore'])('withIdempotency on %s', (kind) => {
  const table = kind === 'dynamoDBStore' ? emulatedTable('dynoxide') : undefined;
  const newStore = (): ClaimStore =>
    table === undefined
      ? memoryStore()
      : dynamoDBStore({ tableName: table.tableName, client: table.newClient() });

  it('runs the first call and gives its result to the later ones', async () => {
    const { chargeOnce, charges } = charging(newStore());
    const order = { id: randomUUID() };
    const first = await chargeOnce(order);
    expect(await chargeOnce(order)).toEqual(first);
    expect(charges).toEqual([order.id]);
  });

  it('runs one of 20 concurrent calls; the others learn until when to wait', async () => {
    const store = newStore();
    const running = gate();
    const { chargeOnce, charges } = charging(store, { during: running.pass });
    const order = { id: randomUUID() };
    const errors: unknown[] = [];
    const calls = Array.from({ length: 20 }, () => chargeOnce(order));
    for (const call of calls) call.catch((error: unknown) => errors.push(error));
    await until('19 are refused', () => errors.length === 19);
    running.open();
    const ends = await Promise.allSettled(calls);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(charges).toHaveLength(1);
    for (const error of errors as { retryAfterMs: number }[]) {
      expect(error).toMatchObject({ code: 'BATCHLATCH_CONFLICT', leaseUntil: expect.any(Number) });
      expect(error.retryAfterMs).toBeGreaterThan(50_000);
      expect(error.retryAfterMs).toBeLessThanOrEqual(60_000);
    }
  });

  it('gives all of 20 concurrent calls the one result, where they wait', async () => {
    const running = gate();
    const { chargeOnce, charges } = charging(newStore(), {
      during: running.pass,
      onConflict: waitForOwner({ timeoutMs: 20_000 }),
    });
    const order = { id: randomUUID() };
    const calls = Array.from({ length: 20 }, () => chargeOnce(order));
    await running.entered;
    running.open();
    expect(new Set((await Promise.all(calls)).map(({ chargeId }) => chargeId)).size).toBe(1);
    expect(charges).toHaveLength(1);
  });

  it('frees the key when the function throws, and gives the error to its caller', async () => {
    const store = newStore();
    let fails = true;
    const { chargeOnce, charges } = charging(store, {
      during: async () => {
        if (fails) throw new RangeError('card declined');
      },
    });
    const order = { id: randomUUID() };
    await expect(chargeOnce(order)).rejects.toThrow(RangeError);
    fails = false;
    await expect(chargeOnce(order)).resolves.toMatchObject({ attempt: 2 });
    expect(charges).toHaveLength(2);
  });

  it('keeps functions of one store apart, and calls inside calls', async () => {
    const store = newStore();
    const order = { id: randomUUID() };
    const mailed: string[] = [];
    const mailOnce = withIdempotency(async ({ id }: Order) => void mailed.push(id), {
      store,
      namespace: 'mail',
      key: ({ id }) => id,
    });
    const { chargeOnce, charges } = charging(store, { during: () => mailOnce(order) });
    await chargeOnce(order);
    await chargeOnce(order);
    await mailOnce(order);
    expect([charges, mailed]).toEqual([[order.id], [order.id]]);
  });

  it('does not meet the claim of the record whose handler calls it, with the same namespace and key', async () => {
    const store = newStore();
    const { chargeOnce, charges } = charging(store);
    const orderId = randomUUID();
    const handler = createBatchProcessor<Order>(({ body }) => chargeOnce(body), {
      store,
      namespace: 'charge',
      key: ({ body }) => body.id,
      observer: { onEvent: () => undefined },
    });
    const event = sqsEvent([{ body: { id: orderId } }]);
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(charges).toEqual([orderId]);
  });

  it('stores the first failure and replays it, where failures are answers', async () => {
    const store = newStore();
    const { chargeOnce, charges } = charging(store, {
      replayFailures: true,
      during: async () => {
        throw Object.assign(new TypeError('card declined'), { code: 'DECLINED' });
      },
    });
    const order = { id: randomUUID() };
    const failure = { name: 'TypeError', message: 'card declined', code: 'DECLINED' };
    await expect(chargeOnce(order)).rejects.toMatchObject(failure);
    await expect(chargeOnce(order)).rejects.toMatchObject(failure);
    expect(charges).toHaveLength(1);
  });

  it('does not run again after a result that cannot be kept, and says so each time', async () => {
    const store = newStore();
    const charges: string[] = [];
    const chargeOnce = withIdempotency(
      async ({ id }: Order) => {
        charges.push(id);
        return { receipt: { lines: [{ at: new Date() }] } };
      },
      { store, namespace: 'dated', key: ({ id }) => id },
    );
    const order = { id: randomUUID() };
    for (let call = 0; call < 2; call += 1) {
      await expect(chargeOnce(order)).rejects.toMatchObject({
        name: 'UnserializableResultError',
        code: 'BATCHLATCH_UNSERIALIZABLE_RESULT',
        message: expect.stringContaining('the Date at `$.receipt.lines[0].at`'),
      });
    }
    expect(charges).toHaveLength(1);
  });

  it('does not run again after a result that is too large', async () => {
    const store = newStore();
    const large = 'ü'.repeat(400_000);
    const bounded: ClaimStore = { ...store, maxResultBytes: 350 * 1_024 };
    let runs = 0;
    const options = { namespace: 'large', key: (id: string) => id };
    const make = async (_id: string): Promise<string> => {
      runs += 1;
      return large;
    };
    const id = randomUUID();
    for (const makeOnce of [1, 2].map(() => withIdempotency(make, { ...options, store: bounded }))) {
      await expect(makeOnce(id)).rejects.toMatchObject({ code: 'BATCHLATCH_UNSERIALIZABLE_RESULT' });
    }
    expect(runs).toBe(1);
    if (kind === 'memoryStore') return;
    // A store that does not know its bound learns it from DynamoDB.
    const { maxResultBytes: _bound, ...unbounded } = store;
    const makeUnbounded = withIdempotency(make, { ...options, store: unbounded });
    const other = randomUUID();
    for (let call = 0; call < 2; call += 1) {
      await expect(makeUnbounded(other)).rejects.toMatchObject({ code: 'BATCHLATCH_UNSERIALIZABLE_RESULT' });
    }
    expect(runs).toBe(2);
  });
});

describe('withIdempotency', () => {
  describe('results', () => {
    it('gives a new value to each caller, the first too', async () => {
      const own = { items: [1, 2] };
      const listOnce = once(async () => own);
      const [first, second, third] = [await listOnce('1'), await listOnce('1'), await listOnce('1')];
      first.items.push(3);
      second.items.push(4);
      expect(own.items).toEqual([1, 2]);
      expect(third).toEqual(own);
    });

    it.each([
      ['nothing', undefined],
      ['null', null],
      ['an empty string', ''],
      ['false', false],
      ['0', 0],
      ['half a surrogate pair', '\uD83D'],
      ['a __proto__ of its own', JSON.parse('{"__proto__":{"a":1}}')],
      ['an object without a prototype', Object.assign(Object.create(null), { a: [null] })],
    ])('keeps %s as it is', async (_what, value) => {
      const runOnce = once(async () => value as unknown);
      const [first, replay] = [await runOnce('1'), await runOnce('1')];
      expect(JSON.stringify(first)).toBe(JSON.stringify(value));
      expect(replay).toEqual(first);
    });

    it('leaves out members that are undefined, for the first caller too', async () => {
      const runOnce = once(async () => ({ a: 1, b: undefined }));
      expect(Object.keys(await runOnce('1'))).toEqual(['a']);
      expect(Object.keys(await runOnce('1'))).toEqual(['a']);
    });

    const cycle: Record<string, unknown> = {};
    cycle['self'] = { again: cycle };
    it.each([
      ['a Map', { a: new Map() }, 'the Map at `$.a`'],
      ['a BigInt', [1, 2n], 'the bigint at `$[1]`'],
      ['undefined in an array', { list: [undefined] }, 'the undefined at `$.list[0]`'],
      ['a hole in an array', { list: Object.assign([], { 1: 'b' }) }, 'the undefined at `$.list[0]`'],
      ['NaN', { total: NaN }, 'the NaN at `$.total`'],
      ['infinity', [-Infinity], 'the -Infinity at `$[0]`'],
      ['a class instance', { money: new Money() }, 'the Money at `$.money`'],
      ['a function', { toJSON: () => 1 }, 'the function at `$.toJSON`'],
      ['a symbol', Symbol('a'), 'the symbol at `$`'],
      ['a cycle', cycle, 'the cycle at `$.self.again`'],
      ['bytes', Buffer.from('a'), 'the Buffer at `$`'],
      ['a list with a toJSON', Hidden.of(1), 'the Hidden at `$`'],
      ['a toJSON that is not listed', withHiddenJson({ a: 1 }), 'the Object at `$`'],
      ['a getter that throws', getterThatThrows(), 'it cannot be read'],
      ['great depth', deeply(5_000), 'nested deeper than 500 levels'],
    ])('refuses %s by its path', async (_what, value, named) => {
      let runs = 0;
      const runOnce = once(async () => {
        runs += 1;
        return value;
      });
      for (let call = 0; call < 2; call += 1) {
        await expect(runOnce('1')).rejects.toMatchObject({
          code: 'BATCHLATCH_UNSERIALIZABLE_RESULT',
          message: expect.stringContaining(named),
        });
      }
      expect(runs).toBe(1);
    });

    it('is forgotten like any completion when it could not be kept', async () => {
      const clock = manualClock();
      let runs = 0;
      const runOnce = once(async () => (runs += 1) && new Date(), { clock, retentionMs: 60_000 });
      await expect(runOnce('1')).rejects.toThrow();
      await clock.advance(60_000);
      await expect(runOnce('1')).rejects.toThrow();
      expect(runs).toBe(2);
    });

    it.each(['@stored s3://other/secret', '@text @stored s3://other/secret', '@', '@stored '])(
      'are never taken for a pointer to another: %s',
      async (text) => {
        const { storage } = memoryResultStorage();
        const opened: string[] = [];
        const spied = {
          ...storage,
          get: (pointer: string) => (opened.push(pointer), Promise.resolve('"secret"')),
        };
        const serializer = { stringify: String, parse: (given: string) => given };
        for (const [written, read] of [
          [false, false],
          [false, true],
          [true, true],
          [true, false],
        ]) {
          const memory = memoryStore();
          const storeWith = (isThere = false): ClaimStore => (isThere ? resultsIn(spied, memory) : memory);
          expect(await once(async () => text, { store: storeWith(written), serializer })('1')).toBe(text);
          expect(await once(async () => 'never', { store: storeWith(read), serializer })('1')).toBe(text);
        }
        expect(opened).toEqual([]);
      },
    );

    it('refuses a serializer that gives a promise, which is nobody’s unhandled rejection', async () => {
      const stringify = (async () => Promise.reject(new Error('late'))) as unknown as () => string;
      const runOnce = once(async () => 1, { serializer: { stringify, parse: JSON.parse } });
      await expect(runOnce('1')).rejects.toMatchObject({ code: 'BATCHLATCH_UNSERIALIZABLE_RESULT' });
      await new Promise(setImmediate);
    });

    it('takes what a serializer makes of them', async () => {
      const serializer = {
        stringify: (value: unknown) => JSON.stringify((value as Date).getTime()),
        parse: (text: string) => new Date(JSON.parse(text) as number),
      };
      const now = new Date();
      const runOnce = once(async () => now, { serializer });
      expect(await runOnce('1')).toEqual(now);
      expect(await runOnce('1')).toEqual(now);
    });
  });

  describe('keys', () => {
    it('joins the parts of a key, so that they cannot run into each other', async () => {
      const runs: string[] = [];
      const runOnce = withIdempotency(async (a: string, b: string) => void runs.push(`${a} ${b}`), {
        store: memoryStore(),
        namespace: 'parts',
        key: (a, b) => [a, b],
      });
      await runOnce('a', 'b","c');
      await runOnce('a","b', 'c');
      expect(runs).toHaveLength(2);
    });

    it('never takes a string for a list of parts, whatever is in it', async () => {
      const runs: unknown[] = [];
      const runOnce = withIdempotency(async (key: string | string[]) => void runs.push(key), {
        store: memoryStore(),
        namespace: 'n',
        key: (key) => key,
      });
      for (const key of [['x', 'y'], '["x","y"]', ['x'], '["x"]', '-parts:["x"]', ['["x"]'], '["[\\"x\\"]"]'])
        await runOnce(key);
      expect(runs).toHaveLength(7);
    });

    it('refuses a key that is a promise, which is nobody’s unhandled rejection', async () => {
      const options = { store: memoryStore(), namespace: 'n' };
      const late = async (): Promise<never> => Promise.reject(new Error('late'));
      for (const selectors of [
        { key: late as unknown as () => string },
        { key: () => '1', payload: late },
        { key: () => '1', namespace: late as unknown as () => string },
      ]) {
        const runOnce = withIdempotency(async (_id: string) => 1, { ...options, ...selectors });
        await expect(runOnce('1')).rejects.toMatchObject({ code: 'BATCHLATCH_KEY' });
      }
      await new Promise(setImmediate); // by then Node has told of what nobody handles, and the test has failed
    });

    it.each([
      ['is empty', () => ''],
      ['is undefined', (order: Order) => order.tenant as string],
      ['has a part that is undefined', (order: Order) => [order.id, order.tenant as string]],
      ['has no part', () => []],
      [
        'throws',
        () => {
          throw new Error('no id');
        },
      ],
    ])('rejects the call whose key %s, and runs nothing', async (_what, key) => {
      let runs = 0;
      const runOnce = withIdempotency(async (_order: Order) => (runs += 1), {
        store: memoryStore(),
        namespace: 'orders',
        key,
      });
      await expect(runOnce({ id: '1' })).rejects.toMatchObject({ code: 'BATCHLATCH_KEY' });
      expect(runs).toBe(0);
    });

    it('can be the hash of the argument, in whatever member order', async () => {
      let runs = 0;
      const runOnce = withIdempotency(async (_order: Order) => (runs += 1), {
        store: memoryStore(),
        namespace: 'orders',
        key: argumentHash({ exclude: ['tenant'] }),
      });
      await runOnce({ id: '1', amountCents: 5, tenant: 'a' });
      expect(await runOnce({ amountCents: 5, id: '1', tenant: 'b' })).toBe(1);
      expect(await runOnce({ amountCents: 6, id: '1' })).toBe(2);
    });

    it.each<[string, unknown]>([
      ['a form', new FormData()],
      ['search parameters', new URLSearchParams('orderId=1')],
      [
        'a class',
        new (class {
          readonly id = '1';
        })(),
      ],
      ['a promise', Promise.resolve({ id: '1' })],
    ])(
      'are not the hash of %s, whose content JSON does not see, and neither is a payload',
      async (_what, argument) => {
        let runs = 0;
        const run = async (_argument: unknown): Promise<number> => (runs += 1);
        const options = { store: memoryStore(), namespace: 'orders' };
        const byArgument = withIdempotency(run, { ...options, key: argumentHash() });
        const byPayload = withIdempotency(run, { ...options, key: () => 'same', payload: (given) => given });
        for (const call of [byArgument, byPayload]) {
          await expect(call(argument)).rejects.toMatchObject({ code: 'BATCHLATCH_KEY' });
        }
        expect(runs).toBe(0);
      },
    );

    it('that are promises are refused as such', async () => {
      const late = (async () => 'late') as unknown as () => string;
      const call = withIdempotency(async () => 1, { store: memoryStore(), namespace: 'orders', key: late });
      await expect(call()).rejects.toThrow('The `key` function of this call returned a promise');
    });

    it('are put into the namespace of each call', async () => {
      let runs = 0;
      const store = memoryStore();
      const runOnce = withIdempotency(async (_order: Order) => (runs += 1), {
        store,
        namespace: ({ tenant = '' }) => tenant,
        key: ({ id }) => id,
      });
      await runOnce({ id: '1', tenant: 'a' });
      await runOnce({ id: '1', tenant: 'b' });
      expect(runs).toBe(2);
      await expect(runOnce({ id: '1' })).rejects.toMatchObject({ code: 'BATCHLATCH_KEY' });
      expect(await store.inspect('a#function-v1:1')).toMatchObject({ status: 'COMPLETED' });
    });

    it('refuses a key that comes again with another payload', async () => {
      let runs = 0;
      const runOnce = withIdempotency(async (_order: Order) => (runs += 1), {
        store: memoryStore(),
        namespace: 'orders',
        key: ({ id }) => id,
        payload: ({ amountCents }) => ({ amountCents }),
      });
      await runOnce({ id: '1', amountCents: 5 });
      await runOnce({ id: '1', amountCents: 5, tenant: 'a' });
      await expect(runOnce({ id: '1', amountCents: 6 })).rejects.toMatchObject({
        code: 'BATCHLATCH_MISMATCH',
      });
      expect(runs).toBe(1);
    });
  });

  describe('failures', () => {
    it('parks the key at a PermanentError, and gives the cause to later callers', async () => {
      let runs = 0;
      const runOnce = once(async () => {
        runs += 1;
        throw new PermanentError('no such account');
      });
      await expect(runOnce('1')).rejects.toThrow('no such account');
      await expect(runOnce('1')).rejects.toMatchObject({
        code: 'BATCHLATCH_PARKED',
        cause: { name: 'PermanentError', message: 'no such account', code: 'BATCHLATCH_PERMANENT' },
      });
      expect(runs).toBe(1);
    });

    it('parks the key after maxAttempts', async () => {
      let runs = 0;
      const runOnce = once(
        async () => {
          runs += 1;
          throw new Error(`failure ${runs}`);
        },
        { maxAttempts: 2 },
      );
      await expect(runOnce('1')).rejects.toThrow('failure 1');
      await expect(runOnce('1')).rejects.toThrow('failure 2');
      await expect(runOnce('1')).rejects.toMatchObject({
        code: 'BATCHLATCH_PARKED',
        cause: { message: 'failure 2' },
      });
      expect(runs).toBe(2);
    });

    it('counts attempts that died towards maxAttempts', async () => {
      const clock = manualClock();
      const store = memoryStore({ clock });
      const dying = once(() => new Promise<never>(() => undefined), { store, clock });
      void dying('1');
      await clock.advance(60_000);
      const runOnce = once(async () => 'done', { store, clock, maxAttempts: 1 });
      await expect(runOnce('1')).rejects.toMatchObject({
        code: 'BATCHLATCH_PARKED',
        cause: { code: 'BATCHLATCH_TOO_MANY_ATTEMPTS' },
      });
    });

    it('replays the failures that a function chooses, and no others', async () => {
      const errors = [new Error('busy'), new RangeError('declined'), new Error('never seen')];
      const runOnce = once(
        async () => {
          throw errors.shift();
        },
        { replayFailures: (error) => error instanceof RangeError },
      );
      await expect(runOnce('1')).rejects.toThrow('busy');
      await expect(runOnce('1')).rejects.toThrow('declined');
      await expect(runOnce('1')).rejects.toMatchObject({ name: 'RangeError', message: 'declined' });
    });

    it('forgets a replayed failure after the retention', async () => {
      const clock = manualClock();
      let runs = 0;
      const runOnce = once(
        async () => {
          runs += 1;
          if (runs === 1) throw new Error('declined');
          return 'done';
        },
        { clock, replayFailures: true, retentionMs: 60_000 },
      );
      await expect(runOnce('1')).rejects.toThrow('declined');
      await clock.advance(59_000);
      await expect(runOnce('1')).rejects.toThrow('declined');
      await clock.advance(1_000);
      expect(await runOnce('1')).toBe('done');
    });

    it.each([
      [
        'throws',
        () => {
          throw new Error('broken');
        },
      ],
      ['returns a promise', async () => false],
    ])('leaves the key free when a classifier %s', async (_what, broken) => {
      const errors = [new Error('busy'), new Error('busy again')];
      const runOnce = once(async () => Promise.reject(errors.shift()), { replayFailures: broken as never });
      await expect(runOnce('1')).rejects.toThrow('busy');
      await expect(runOnce('1')).rejects.toThrow('busy again');
    });

    it('takes a function that throws at once for one that rejects', async () => {
      const runOnce = once(() => {
        throw new Error('at once');
      });
      await expect(runOnce('1')).rejects.toThrow('at once');
      await expect(runOnce('1')).rejects.toThrow('at once');
    });
  });

  describe('leases', () => {
    it('lasts as long as the invocation and a second more', async () => {
      const clock = manualClock();
      for (const [remainingMs, leaseMs] of [
        [20_000, 21_000],
        [0.5, 1_001],
        [undefined, 60_000],
        [Number.NaN, 60_000],
        [Infinity, 60_000],
      ] as const) {
        let leaseUntil = 0;
        const runOnce = withIdempotencyContext(
          (context) => async (_key: string) => {
            leaseUntil = context.leaseUntil;
          },
          {
            store: memoryStore({ clock }),
            clock,
            namespace: 'n',
            key: (key) => key,
            remainingTimeMs: () => remainingMs,
          },
        );
        await runOnce('1');
        expect(leaseUntil - clock.now()).toBe(leaseMs);
      }
    });

    it.each([0, -0, -5])('runs nothing where %d ms are left, whatever the lease', async (remainingMs) => {
      for (const leaseMs of [undefined, 60_000]) {
        const store = memoryStore();
        let runs = 0;
        const runOnce = withIdempotency(async (_key: string) => (runs += 1), {
          store,
          namespace: 'n',
          key: (key) => key,
          remainingTimeMs: () => remainingMs,
          ...(leaseMs !== undefined && { leaseMs }),
        });
        await expect(runOnce('1')).rejects.toMatchObject({
          code: 'BATCHLATCH_DEADLINE',
          message: expect.stringContaining('nothing was run'),
        });
        expect([runs, await store.inspect('n#function-v1:1')]).toEqual([0, undefined]);
      }
    });

    it.each([
      ['is nearly over', 300, 'BATCHLATCH_DEADLINE'],
      ['is over', 400, 'BATCHLATCH_STORE_SILENT'],
    ])(
      'runs nothing when the time %s by the time the claim is there, and gives it back',
      async (...given) => {
        const [, tookMs, code] = given;
        const clock = manualClock();
        const store = memoryStore({ clock });
        const slow: ClaimStore = {
          ...store,
          async acquire(requests) {
            const outcomes = await store.acquire(requests);
            await clock.advance(tookMs);
            return outcomes;
          },
        };
        let runs = 0;
        const options = { clock, remainingTimeMs: () => 400, maxAttempts: 1 };
        const runOnce = once(async () => (runs += 1), { store: slow, ...options });
        await expect(runOnce('1')).rejects.toMatchObject({ code });
        expect(runs).toBe(0);
        await clock.advance(0);
        expect(await store.inspect('once#function-v1:1')).toMatchObject({ status: 'FAILED', releases: 1 });
        expect(await once(async () => 'now', { store, clock, maxAttempts: 1 })('1')).toBe('now');
      },
    );

    it('waits for another owner no longer than the invocation lasts', async () => {
      const { clock, store } = running();
      const startedAt = clock.now();
      const runOnce = once(async () => 'again', {
        store,
        clock,
        onConflict: waitForOwner({ timeoutMs: 50_000 }),
        remainingTimeMs: () => 3_000,
      });
      let endedAt = 0;
      const waiting = runOnce('1').catch((error: unknown) => {
        endedAt = clock.now();
        return error;
      });
      for (let tick = 0; tick < 40; tick += 1) await clock.advance(100);
      expect(endedAt - startedAt).toBeLessThanOrEqual(3_000);
      expect(await waiting).toMatchObject({ code: 'BATCHLATCH_CONFLICT' });
    });

    it('aborts the signal when the lease is over; a result that nobody overtook counts', async () => {
      const { clock, context, calls, finish, runOnce } = running();
      await clock.advance(60_000);
      finish('late');
      expect(await calls[0]).toBe('late');
      expect(await runOnce('1')).toBe('late');
      // Whoever reads it before counts as having seen the abort.
      expect(context().signal.reason).toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
    });

    it('rejects the late owner, whose result is not stored', async () => {
      const { clock, calls, finish, runOnce } = running();
      await clock.advance(60_000);
      calls.push(runOnce('1'));
      await clock.advance(1);
      finish('of the next', 1);
      expect(await calls[1]).toBe('of the next');
      finish('late', 0);
      await expect(calls[0]).rejects.toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
      expect(await runOnce('1')).toBe('of the next');
    });

    it('renews the lease with a heartbeat, which ends with the function', async () => {
      const { clock, context, calls, finish, extensions } = running({ heartbeat: true });
      for (let beat = 0; beat < 20; beat += 1) await clock.advance(15_000);
      expect(context().signal.aborted).toBe(false);
      expect(extensions).toHaveLength(15);
      finish('done');
      expect(await calls[0]).toBe('done');
      await clock.advance(600_000);
      expect(extensions).toHaveLength(15);
    });

    it('outlives a heartbeat that fails now and then', async () => {
      const { clock, context, calls, finish, failExtensions } = running({ heartbeat: true });
      failExtensions(2);
      for (let beat = 0; beat < 20; beat += 1) await clock.advance(15_000);
      expect(context().signal.aborted).toBe(false);
      finish('done');
      expect(await calls[0]).toBe('done');
    });

    it('tells the function when the heartbeat finds the lease in other hands', async () => {
      const { clock, context, calls, finish, loseExtensions } = running({ heartbeat: true });
      loseExtensions();
      await clock.advance(30_000);
      expect(context().signal.aborted).toBe(true);
      await expect(context().extendLease(1_000)).rejects.toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
      context().done();
      finish('done');
      expect(await calls[0]).toBe('done');
    });

    it('is nobody’s unhandled rejection when a heartbeat fails after the end', async () => {
      const { clock, calls, finish, extensions, delayExtensions } = running({ heartbeat: true });
      const rejectLate = delayExtensions();
      await clock.advance(30_000);
      finish('done');
      expect(await calls[0]).toBe('done');
      rejectLate(new Error('too late'));
      await clock.advance(60_000);
      expect(extensions).toHaveLength(1);
    });

    it('can be made longer by the function', async () => {
      const { clock, context, calls, finish } = running();
      await clock.advance(0);
      await context().extendLease(120_000);
      await clock.advance(119_000);
      expect(context().signal.aborted).toBe(false);
      await expect(context().extendLease(0)).rejects.toThrow(RangeError);
      finish('done');
      await calls[0];
    });

    it.each([false, true])(
      'parks a key whose last attempt died (replayFailures: %p)',
      async (replayFailures) => {
        const { clock, store } = running();
        await clock.advance(60_000);
        const runOnce = once(async () => 'again', { store, clock, onLapsedLease: 'park', replayFailures });
        for (let call = 0; call < 2; call += 1) {
          await expect(runOnce('1')).rejects.toMatchObject({
            code: 'BATCHLATCH_PARKED',
            cause: { code: 'BATCHLATCH_LAPSED_LEASE' },
          });
        }
      },
    );

    it('takes over, while waiting, when the other lease lapses', async () => {
      const { clock, store } = running();
      const runOnce = once(async () => 'again', {
        store,
        clock,
        onConflict: waitForOwner({ timeoutMs: 90_000 }),
      });
      const waiting = runOnce('1');
      await clock.advance(62_000);
      expect(await waiting).toBe('again');
    });

    it('starts on no claim whose lease is nearly over when its answer comes', async () => {
      const clock = manualClock();
      const memory = memoryStore({ clock });
      let runs = 0;
      const slow = answeringLate(memory, clock, 'lost');
      const runOnce = once(async () => (runs += 1), { store: slow, clock, leaseMs: 20_000 });
      await expect(runOnce('1')).rejects.toMatchObject({ code: 'BATCHLATCH_CONFLICT' });
      expect(runs).toBe(0);
    });

    it('gives back a claim that came too late, so that it does not look as if its attempt had died', async () => {
      const clock = manualClock();
      const memory = memoryStore({ clock });
      const error = new StoreError('down', { isRetryable: false });
      const slow = answeringLate(memory, clock, { error });
      const options = { clock, leaseMs: 20_000, onLapsedLease: 'park', maxAttempts: 1 } as const;
      const late = once(async () => 'late', { store: slow, ...options })('1');
      await expect(late).rejects.toMatchObject({ code: 'BATCHLATCH_CONFLICT' });
      expect(await once(async () => 'now', { store: memory, ...options })('1')).toBe('now');
    });

    it('gives back a claim that came too late at once, also when the store failed to release it the first time', async () => {
      const clock = manualClock();
      const memory = memoryStore({ clock });
      const error = new StoreError('down', { isRetryable: false });
      let releases = 0;
      const failing: ClaimStore = {
        ...answeringLate(memory, clock, { error }),
        settle: async (settlements) =>
          (releases += 1) === 1 ? settlements.map(() => ({ error })) : memory.settle(settlements),
      };
      const options = { clock, leaseMs: 20_000 };
      const late = once(async () => 'late', { store: failing, ...options })('1');
      await expect(late).rejects.toMatchObject({ code: 'BATCHLATCH_CONFLICT' });
      await new Promise(setImmediate); // it is given back beside the answer
      expect(releases).toBe(2);
      expect(await once(async () => 'now', { store: memory, ...options })('1')).toBe('now');
    });
  });

  describe.each([{ onLapsedLease: 'park' }, { maxAttempts: 1 }] as const)('with %p', (options) => {
    it('parks no call whose claim was written and whose answer was lost: it never ran', async () => {
      const clock = manualClock();
      const memory = memoryStore({ clock });
      const deaf: ClaimStore = {
        ...memory,
        async acquire(requests) {
          await memory.acquire(requests);
          throw new Error('connection reset');
        },
        inspect: () => Promise.reject(new Error('connection reset')),
      };
      await expect(once(async () => 'never', { store: deaf, clock, ...options })('1')).rejects.toThrow(
        'connection reset',
      );
      await clock.advance(60_000);
      expect(await once(async () => 'done', { store: memory, clock, ...options })('1')).toBe('done');
    });

    it('parks a call whose process died in its function', async () => {
      const clock = manualClock();
      const store = memoryStore({ clock });
      void once(() => new Promise<never>(() => undefined), { store, clock, ...options })('1');
      await clock.advance(60_000);
      await expect(once(async () => 'again', { store, clock, ...options })('1')).rejects.toMatchObject({
        code: 'BATCHLATCH_PARKED',
      });
    });

    it('runs nothing when the start cannot be written', async () => {
      const memory = memoryStore();
      let runs = 0;
      const store: ClaimStore = { ...memory, start: () => Promise.reject(new Error('down')) };
      await expect(once(async () => (runs += 1), { store, ...options })('1')).rejects.toThrow();
      expect(runs).toBe(0);
      expect(await once(async () => 'done', { store: memory, ...options })('1')).toBe('done');
    });
  });

  it('gives a claim back whose answer was lost, as soon as the store answers again', async () => {
    const memory = memoryStore();
    let isDeaf = true;
    const store: ClaimStore = {
      ...memory,
      async acquire(requests) {
        const outcomes = await memory.acquire(requests);
        if (isDeaf) throw new Error('connection reset');
        return outcomes;
      },
      inspect: (key) => (isDeaf ? Promise.reject(new Error('connection reset')) : memory.inspect(key)),
    };
    const runOnce = once(async (key: string) => key, { store });
    await expect(runOnce('1')).rejects.toThrow('connection reset');
    await turn(); // what is tried at once fails
    isDeaf = false;
    expect(await runOnce('2')).toBe('2');
    await until(
      'the claim is given back',
      async () => (await memory.inspect('once#function-v1:1'))?.status === 'FAILED',
    );
    expect(await runOnce('1')).toBe('1');
  });

  describe('when the store fails', () => {
    it('runs nothing when the claim cannot be stored', async () => {
      let runs = 0;
      const error = new StoreError('down', { isRetryable: true });
      const store: ClaimStore = { ...memoryStore(), acquire: async () => [{ status: 'error', error }] };
      const runOnce = once(async () => (runs += 1), { store });
      await expect(runOnce('1')).rejects.toBe(error);
      expect(runs).toBe(0);
    });

    it('tries again to store a completion', async () => {
      const clock = manualClock();
      const { store, failSettles } = settlingStore(clock);
      failSettles(3);
      const runOnce = once(async () => 'done', { store, clock });
      const call = runOnce('1');
      await clock.advance(5_000);
      expect(await call).toBe('done');
      expect(await runOnce('1')).toBe('done');
    });

    it('says that the effect is done when its completion cannot be stored, with the result for its caller', async () => {
      const clock = manualClock();
      const { store, failSettles } = settlingStore(clock);
      failSettles(Infinity);
      const call = once(async () => ({ chargeId: '1' }), { store, clock })('1');
      const caught = call.catch((error: unknown) => error);
      await clock.advance(10_000);
      const error = await caught;
      expect(error).toMatchObject({
        code: 'BATCHLATCH_COMPLETION_NOT_STORED',
        cause: { message: 'down' },
        result: { chargeId: '1' },
      });
      expect(JSON.stringify(error)).not.toContain('chargeId');
    });

    it('does not hide the business error', async () => {
      const clock = manualClock();
      const { store, failSettles } = settlingStore(clock);
      failSettles(Infinity);
      const call = once(async () => Promise.reject(new Error('card declined')), { store, clock })('1');
      const caught = call.catch((error: unknown) => error);
      await clock.advance(10_000);
      expect(await caught).toMatchObject({ message: 'card declined' });
    });
  });

  describe('methods', () => {
    it('keep their receiver', async () => {
      class Till {
        readonly name: string;
        constructor(name: string) {
          this.name = name;
        }
        async ring(this: Till, id: string): Promise<string> {
          return `${this.name} ${id}`;
        }
      }
      const options = { store: memoryStore(), namespace: 'tills', key: (id: string) => id };
      class IdempotentTill extends Till {
        readonly ringOnce = withIdempotency(this.ring, options);
        readonly ringInContext = withIdempotencyContext(() => this.ring, {
          ...options,
          namespace: 'context',
        });
      }
      const till = new IdempotentTill('north');
      expect(await till.ringOnce('1')).toBe('north 1');
      expect(await till.ringInContext('1')).toBe('north 1');
    });
  });

  describe('options', () => {
    const valid: IdempotencyOptions<[string]> = {
      namespace: 'n',
      key: (id: string) => id,
      store: memoryStore(),
    };
    it.each([
      ['no namespace', { namespace: undefined }, /`namespace` to be a non-empty string/],
      ['an empty namespace', { namespace: '' }, /`namespace`/],
      ['no key', { key: undefined }, /`key` to be a function/],
      ['a lease of 0', { leaseMs: 0 }, /`leaseMs` to be an integer from 1 up, got `0` \(number\)/],
      [
        'a wait without an end',
        { onConflict: { timeoutMs: 1 } },
        /`onConflict` to be the result of waitForOwner\(\{ timeoutMs \}\), got/,
      ],
      ['an option of Powertools', { dataIndexArgument: 1 }, /`dataIndexArgument`; known options are .*key/],
      ['an unknown option', { replayFailure: true }, /`replayFailure`; known options are .*replayFailures/],
      ['half a serializer', { serializer: { parse: JSON.parse } }, /`serializer`/],
      ['a third way', { onLapsedLease: 'ignore' }, /'rerun' or 'park'/],
    ])('refuses %s at start', (_what, members, message) => {
      const options = { ...valid, ...members } as unknown as IdempotencyOptions<[string]>;
      expect(() => withIdempotency(async (_id: string) => 1, options)).toThrow(message);
      expect(() => withIdempotency(async (_id: string) => 1, options)).toThrow(
        expect.objectContaining({ code: 'BATCHLATCH_CONFIGURATION' }),
      );
    });

    it('refuses what is no function', () => {
      expect(() => withIdempotency('charge' as never, valid)).toThrow(/to be a function, got string/);
    });

    it('needs a store, or the name of a table', async () => {
      const idempotent = withIdempotency(async (id: string) => id, { namespace: 'n', key: (id) => id });
      await expect(idempotent('a')).rejects.toThrow(/CLAIMS_TABLE_NAME/);
    });
  });
});

/** A function of one key, in a namespace of its own. */
function once<Result>(
  fn: (id: string) => Result | Promise<Result>,
  options: Partial<IdempotencyOptions<[string]>> = {},
) {
  const store = options.store ?? memoryStore(options.clock && { clock: options.clock });
  return withIdempotency(fn, { namespace: 'once', key: (id) => id, store, ...options });
}

function charging(
  store: ClaimStore,
  { during, ...options }: Partial<IdempotencyOptions<[Order]>> & { during?: () => Promise<unknown> } = {},
) {
  const charges: string[] = [];
  const chargeOnce = withIdempotencyContext(
    ({ attempt }) =>
      async ({ id }: Order) => {
        charges.push(id);
        await during?.();
        return { chargeId: randomUUID(), attempt };
      },
    { store, namespace: 'charge', key: ({ id }) => id, ...options },
  );
  return { chargeOnce, charges };
}

/** A call that runs until it is told to finish, with its store's extensions in the test's hands. */
function running(options: Partial<IdempotencyOptions<[string]>> = {}) {
  const clock = manualClock();
  const memory = memoryStore({ clock });
  const extensions: unknown[] = [];
  let answer: ClaimStore['extend'] = memory.extend;
  const store: ClaimStore = {
    ...memory,
    extend(given) {
      extensions.push(...given);
      return answer(given);
    },
  };
  const contexts: CallContext[] = [];
  const finishes: ((value: string) => void)[] = [];
  const runOnce = withIdempotencyContext(
    (context) => (_id: string) => {
      contexts.push(context);
      return new Promise<string>((resolve) => {
        finishes.push(resolve);
      });
    },
    { namespace: 'once', key: (id) => id, store, clock, ...options },
  );
  const calls = [runOnce('1')];
  return {
    clock,
    store,
    calls,
    runOnce,
    extensions,
    context: () => contexts[0] as CallContext,
    finish: (value: string, index = 0) => finishes[index]?.(value),
    failExtensions(count: number) {
      let left = count;
      answer = async (given) => {
        left -= 1;
        if (left >= 0) throw new Error('connection reset');
        return memory.extend(given);
      };
    },
    loseExtensions() {
      answer = async () => ['lost'];
    },
    delayExtensions() {
      let reject: (error: Error) => void = () => undefined;
      answer = () =>
        new Promise((_resolve, rejectIt) => {
          reject = rejectIt;
        });
      return (error: Error) => reject(error);
    },
  };
}

function settlingStore(clock: ReturnType<typeof manualClock>) {
  const memory = memoryStore({ clock });
  let failures = 0;
  const store: ClaimStore = {
    ...memory,
    async settle(settlements: readonly Settlement[]) {
      failures -= 1;
      if (failures >= 0) throw new StoreError('down', { isRetryable: true });
      return memory.settle(settlements);
    },
  };
  return {
    store,
    failSettles(count: number) {
      failures = count;
    },
  };
}

function getterThatThrows(): object {
  return {
    get secret() {
      throw new Error('4111 1111 1111 1111');
    },
  };
}

function withHiddenJson(value: object): object {
  return Object.defineProperty(value, 'toJSON', { value: () => undefined });
}

function deeply(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}

/** A store whose claims are nearly over when their answer comes, and which cannot prolong them. */
function answeringLate(store: ClaimStore, clock: ManualClock, extension: SettleOutcome): ClaimStore {
  return {
    ...store,
    async acquire(requests) {
      const outcomes = await store.acquire(requests);
      await clock.advance(19_000);
      return outcomes;
    },
    extend: async () => [extension],
  };
}
