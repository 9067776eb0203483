import { randomUUID } from 'node:crypto';
import { IdempotencyConfig, idempotent, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { makeHandlerIdempotent } from '@aws-lambda-powertools/idempotency/middleware';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { withIdempotency } from 'batchlatch/functions';
import { memoryStore } from 'batchlatch/memory';
import {
  powertoolsAttributes,
  powertoolsCallKey,
  powertoolsCallValidation,
  type PowertoolsCallKeyOptions,
} from 'batchlatch/powertools';
import { lambdaContext, manualClock } from 'batchlatch/testing';
import { emulatedTable } from '../support/emulated-table.ts';

type Work = (...args: unknown[]) => unknown;
type ConfigOptions = ConstructorParameters<typeof IdempotencyConfig>[0];

/** How a service calls its function: by Powertools, and by batchlatch with the same options. */
interface Way {
  readonly name: string;
  readonly args: () => unknown[];
  readonly config?: ConfigOptions;
  readonly keyPrefix?: string;
  readonly dataIndexArgument?: number;
  readonly throughPowertools?: typeof ofMakeIdempotent;
}

const WAYS: readonly Way[] = [
  { name: 'makeIdempotent, all of the first argument', args: () => [order(), 'other'] },
  { name: 'makeIdempotent, a text', args: () => [randomUUID()] },
  {
    name: 'makeIdempotent, eventKeyJmesPath',
    args: () => [order(), Math.random()],
    config: { eventKeyJmesPath: 'orderId' },
  },
  {
    name: 'makeIdempotent, a path that gives a list in which one is null',
    args: () => [order()],
    config: { eventKeyJmesPath: '[orderId, customerId]' },
  },
  {
    name: 'makeIdempotent, throwOnNoIdempotencyKey',
    args: () => [order()],
    config: { eventKeyJmesPath: 'orderId', throwOnNoIdempotencyKey: true, hashFunction: 'sha256' },
  },
  {
    name: 'makeIdempotent, dataIndexArgument',
    args: () => [Math.random(), order()],
    dataIndexArgument: 1,
    config: { eventKeyJmesPath: '[lines[].sku, orderId]' },
  },
  { name: 'makeIdempotent, keyPrefix', args: () => [order()], keyPrefix: ' charges ' },
  {
    name: 'makeIdempotent around a Lambda handler, where dataIndexArgument does not count',
    args: () => [{ body: JSON.stringify(order()) }, lambdaContext({ remainingTimeMs: 30_000 })],
    dataIndexArgument: 1,
    config: { eventKeyJmesPath: 'powertools_json(body).orderId' },
  },
  {
    name: 'makeIdempotent around a durable handler',
    args: () => [order(), { step: () => 1, lambdaContext: lambdaContext({ remainingTimeMs: 30_000 }) }],
    dataIndexArgument: 1,
  },
  {
    name: 'makeIdempotent, payloadValidationJmesPath',
    args: () => [order()],
    config: { eventKeyJmesPath: 'orderId', payloadValidationJmesPath: '[amount, lines]' },
  },
  {
    name: 'makeHandlerIdempotent with middy',
    args: () => [{ body: JSON.stringify(order()) }, lambdaContext({ remainingTimeMs: 30_000 })],
    config: { eventKeyJmesPath: 'powertools_json(body).orderId' },
    throughPowertools: ofMakeHandlerIdempotent,
  },
  {
    name: '@idempotent on a method',
    args: () => ['tenant', order()],
    dataIndexArgument: 1,
    config: { eventKeyJmesPath: 'orderId' },
    throughPowertools: ofDecorator,
  },
];

/** Results that DynamoDB's marshaller refuses. */
const BEYOND_DYNAMODB: readonly [string, unknown][] = [
  ['a Date', { at: new Date(0) }],
  ['a member that is undefined', { chargeId: 'c', note: undefined }],
  ['a class instance', new URL('https://example.com')],
  ['NaN', NaN],
  ['1e300', 1e300],
  ['an empty set', new Set()],
];

/** Results that DynamoDB holds and JSON does not, what Powertools replays of them, and what JSON has for that. */
const BEYOND_JSON: readonly [string, unknown, unknown, unknown][] = [
  ['a Set', new Set(['a']), new Set(['a']), ['a']],
  ['a Map', new Map([['a', 1]]), { a: 1 }, { a: 1 }],
  ['bytes', { bytes: Uint8Array.of(1, 2) }, { bytes: Uint8Array.of(1, 2) }, { bytes: 'AQI=' }],
  ['a BigInt', 5n, 5, 5],
  ['a BigInt beyond 2^53', 2n ** 70n, 2n ** 70n, 2 ** 70],
];

/** Results that batchlatch refuses. */
const NOT_JSON: readonly (readonly [string, unknown])[] = [
  ...BEYOND_JSON.map(([what, value]) => [what, value] as const),
  ...BEYOND_DYNAMODB.filter(([what]) => !/member|1e300/.test(what)),
];

beforeEach(() => {
  process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'orders-function';
  jest.spyOn(console, 'warn').mockImplementation(() => undefined); // of calls without a Lambda context
});
afterEach(() => {
  delete process.env['AWS_LAMBDA_FUNCTION_NAME'];
  jest.restoreAllMocks();
});

describe('A function that moves over from Powertools', () => {
  const table = emulatedTable('dynoxide');

  function open(way: Way, { remainingTimeMs }: { readonly remainingTimeMs?: number } = {}) {
    const { config = {}, keyPrefix, dataIndexArgument, throughPowertools = ofMakeIdempotent } = way;
    const { tableName } = table;
    const clock = manualClock(Date.now());
    const args = way.args();
    const theirs = {
      persistenceStore: new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: table.newClient() }),
      config: new IdempotencyConfig({
        ...config,
        ...(remainingTimeMs !== undefined && {
          lambdaContext: lambdaContext({ remainingTimeMs }),
        }),
      }),
      ...(keyPrefix !== undefined && { keyPrefix }),
      ...(dataIndexArgument !== undefined && { dataIndexArgument }),
    };
    const { eventKeyJmesPath, payloadValidationJmesPath, hashFunction } = config;
    const common = {
      ...(hashFunction !== undefined && { hashFunction }),
      ...(dataIndexArgument !== undefined && { dataIndexArgument }),
    };
    const ours = {
      store: dynamoDBStore({ tableName, client: table.newClient(), attributes: powertoolsAttributes, clock }),
      clock,
      key: powertoolsCallKey({
        ...common,
        ...(eventKeyJmesPath !== undefined && { eventKeyJmesPath }),
        ...(keyPrefix !== undefined && { keyPrefix }),
      }),
      ...(payloadValidationJmesPath !== undefined && {
        payload: powertoolsCallValidation({ ...common, payloadValidationJmesPath }),
      }),
    };
    return {
      clock,
      args,
      store: ours.store,
      key: ours.key(...args),
      powertools: (work: Work, ...given: unknown[]) =>
        throughPowertools(work, theirs)(...(given.length > 0 ? given : args)),
      batchlatch: (work: Work, ...given: unknown[]) =>
        withIdempotency(work, ours)(...(given.length > 0 ? given : args)),
    };
  }

  describe.each(WAYS)('$name', (way) => {
    it('gets what Powertools stored, and does not run again', async () => {
      const { powertools, batchlatch, key } = open(way);
      const result = { chargeId: 'c-1', lines: [1, null] };
      expect(await powertools(() => result)).toEqual(result);
      expect(await batchlatch(NEVER)).toEqual(result);
      expect(await table.rowOf(key)).toMatchObject({ status: { S: 'COMPLETED' } });
    });

    it('is replayed by Powertools once batchlatch has completed it', async () => {
      const { powertools, batchlatch } = open(way);
      const result = { chargeId: 'c-2', lines: [] };
      expect(await batchlatch(() => result)).toEqual(result);
      expect(await powertools(NEVER)).toEqual(result);
      expect(await batchlatch(NEVER)).toEqual(result);
    });

    it('conflicts while Powertools runs it, until its inProgressExpiration', async () => {
      const { powertools, batchlatch, clock, key } = open(way, { remainingTimeMs: 30_000 });
      const { started, end, work } = stepwise();
      const running = powertools(work);
      await started;
      const leaseUntil = Number((await table.rowOf(key))?.['in_progress_expiration']?.N);
      await expect(batchlatch(NEVER)).rejects.toMatchObject({ code: 'BATCHLATCH_CONFLICT', leaseUntil });
      await clock.advance(leaseUntil - clock.now());
      expect(await batchlatch(() => 'ours')).toBe('ours');
      end('theirs');
      await running;
    });

    it('may run on either side after a failure on the other', async () => {
      const { powertools, batchlatch } = open(way);
      const failing = (): never => {
        throw new Error('declined');
      };
      await expect(powertools(failing)).rejects.toThrow('declined');
      await expect(batchlatch(failing)).rejects.toThrow('declined');
      expect(await powertools(() => 'third')).toBe('third');
      expect(await batchlatch(NEVER)).toBe('third');
    });

    // Powertools' middleware deletes the row of a call that it refuses: see below.
    if (way.throughPowertools === ofMakeHandlerIdempotent) return;

    it('is refused by Powertools while batchlatch runs it', async () => {
      const { powertools, batchlatch } = open(way);
      const { started, end, work } = stepwise();
      const running = batchlatch(work);
      await started;
      await expect(powertools(NEVER)).rejects.toThrow(/already an execution in progress/);
      end('ours');
      expect(await running).toBe('ours');
    });
  });

  it.each([
    ['of Powertools', 'powertools'],
    ['of batchlatch', 'batchlatch'],
  ] as const)(
    'loses the claim %s to a duplicate that makeHandlerIdempotent refuses',
    async (_whose, owner) => {
      const bench = open(
        WAYS.find(({ throughPowertools }) => throughPowertools === ofMakeHandlerIdempotent) as Way,
      );
      const { started, end, work } = stepwise();
      const running = bench[owner](work);
      await started;
      await expect(bench.powertools(NEVER)).rejects.toThrow(/already an execution in progress/);
      expect(await table.rowOf(bench.key)).toBeUndefined();
      end('late');
      const ended = await Promise.resolve(running).catch((error: unknown) => error);
      if (owner === 'powertools') expect(ended).toBe('late');
      else expect(ended).toMatchObject({ code: 'BATCHLATCH_LEASE_LOST' });
    },
  );

  describe('returns what is not JSON', () => {
    const way = WAYS[0] as Way;

    it.each(BEYOND_DYNAMODB)(
      'Powertools fails after the effect, and would run it again: %s',
      async (_what, value) => {
        const { powertools, batchlatch, key, clock } = open(way, { remainingTimeMs: 30_000 });
        await expect(powertools(() => value)).rejects.toThrow(/Failed to update success record/);
        expect(await table.rowOf(key)).toMatchObject({ status: { S: 'INPROGRESS' } });
        await clock.advance(31_000);
        expect(await batchlatch(() => 'again')).toBe('again');
      },
    );

    it.each(BEYOND_JSON)(
      'gets from Powertools’ row what JSON has for it: %s',
      async (_what, value, replayed, json) => {
        const { powertools, batchlatch } = open(way);
        expect(await powertools(() => value)).toEqual(value);
        expect(await powertools(NEVER)).toEqual(replayed);
        expect(await batchlatch(NEVER)).toEqual(json);
      },
    );

    it.each(NOT_JSON)(
      'is refused after its effect, which does not run again on either side: %s',
      async (_what, value) => {
        const { powertools, batchlatch } = open(way);
        const refusal = { code: 'BATCHLATCH_UNSERIALIZABLE_RESULT' };
        await expect(batchlatch(() => value)).rejects.toMatchObject(refusal);
        await expect(batchlatch(NEVER)).rejects.toMatchObject(refusal);
        await expect(powertools(NEVER)).rejects.toThrow(/already an execution in progress/);
      },
    );
  });

  it('refuses another payload under the key of the other library’s call', async () => {
    const way = WAYS.find(({ config }) => config?.payloadValidationJmesPath !== undefined) as Way;
    const [first, second] = [open(way), open(way)];
    const other = (bench: typeof first) => ({ ...(bench.args[0] as object), amount: 2 });
    await first.powertools(() => 1);
    await expect(first.batchlatch(NEVER, other(first))).rejects.toMatchObject({
      code: 'BATCHLATCH_MISMATCH',
    });
    await second.batchlatch(() => 1);
    await expect(second.powertools(NEVER, other(second))).rejects.toThrow(/does not match/);
  });
});

describe('powertoolsCallKey', () => {
  const args = (value: unknown): unknown[] => [value];

  it.each([[undefined], [null], [''], [[]], [{}], [[null, '']], [{ a: null }], [new Map([['a', 1]])]])(
    'refuses a call in which nothing is found: %j',
    async (payload) => {
      const call = withIdempotency(async (_value: unknown) => 1, {
        store: memoryStore(),
        key: powertoolsCallKey(),
      });
      await expect(call(...(args(payload) as [unknown]))).rejects.toMatchObject({
        code: 'BATCHLATCH_KEY',
        message: expect.stringContaining('calls without a key must not share one'),
      });
    },
  );

  it('refuses a namespace beside it, which would separate nothing', () => {
    const options = { store: memoryStore(), key: powertoolsCallKey(), namespace: 'charge' };
    expect(() => withIdempotency(async () => 1, options)).toThrow(/Expected `namespace` to be absent/);
  });

  it.each([
    [{ dataIndexArgument: -1 }, /powertoolsCallKey: Expected `dataIndexArgument` to be an integer from 0 up/],
    [{ payload: () => 1 }, /powertoolsCallKey: Unknown option `payload`/],
    [{ eventKeyJmespath: 'a' }, /Unknown option `eventKeyJmespath`/],
  ])('refuses options that cannot work (%#)', (options, message) => {
    expect(() => powertoolsCallKey(options as PowertoolsCallKeyOptions)).toThrow(message);
  });

  it('refuses validation without an expression, and an unknown hash', () => {
    expect(() => powertoolsCallValidation({ payloadValidationJmesPath: ' ' })).toThrow(
      /powertoolsCallValidation: Expected `payloadValidationJmesPath` to be a JMESPath expression/,
    );
    expect(() => powertoolsCallValidation({ payloadValidationJmesPath: 'a', hashFunction: 'md55' })).toThrow(
      /Expected `hashFunction`/,
    );
  });
});

const NEVER = (): never => {
  throw new Error('It ran, although it must not');
};

function order() {
  return { orderId: randomUUID(), amount: 1, customerId: null, lines: [{ Sku: 'b' }, { sku: 'a' }] };
}

type TheirOptions = Parameters<typeof makeIdempotent>[1];

function ofMakeIdempotent(work: Work, options: TheirOptions): Work {
  return makeIdempotent(async (...args: unknown[]) => work(...args), options);
}

function ofMakeHandlerIdempotent(work: Work, options: TheirOptions): Work {
  const handler = middy(async (event: unknown) => work(event)).use(makeHandlerIdempotent(options));
  return (event, context) => handler(event, context as Context);
}

/** As TypeScript applies a decorator. */
function ofDecorator(work: Work, options: TheirOptions): Work {
  class Payments {
    readonly provider = 'provider';
    async charge(...args: unknown[]): Promise<unknown> {
      expect(this.provider).toBe('provider');
      return work(...args);
    }
  }
  const descriptor = Object.getOwnPropertyDescriptor(Payments.prototype, 'charge') as PropertyDescriptor;
  const decorate = idempotent(options) as (
    target: object,
    name: string,
    descriptor: PropertyDescriptor,
  ) => void;
  decorate(Payments.prototype, 'charge', descriptor);
  Object.defineProperty(Payments.prototype, 'charge', descriptor);
  const payments = new Payments();
  return (...args) => payments.charge(...args);
}

/** Work that says when it starts, and ends when it is told to. */
function stepwise() {
  let start: () => void = NEVER;
  let end: (result: unknown) => void = NEVER;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  const work = (): Promise<unknown> => {
    start();
    return ended;
  };
  return { started, work, end: (result: unknown) => end(result) };
}
