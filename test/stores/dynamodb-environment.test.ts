import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createBatchProcessor, runWithoutClaim } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { withIdempotency } from 'batchlatch/functions';
import { type LambdaHttpEvent, withFetchIdempotency, withHttpIdempotency } from 'batchlatch/http';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { v2Event } from '../http/lambda-events.ts';
import { claimRequest } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { type Traffic, watchTraffic } from '../support/transports.ts';

const NAMES = [
  'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS',
  'CLAIMS_TABLE_NAME',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_REGION',
];

const refusal = {
  code: 'BATCHLATCH_CONFIGURATION',
  message: expect.stringMatching(/set CLAIMS_TABLE_NAME, or pass `store`.*memoryStore\(\)/s),
};
const quiet = { observer: { onEvent: () => undefined } };

describe('The store of the environment', () => {
  const table = emulatedTable('dynoxide');
  const before = NAMES.map((name) => process.env[name]);
  let runs: string[];
  beforeEach(() => {
    runs = [];
    for (const name of NAMES) delete process.env[name];
    process.env['AWS_REGION'] = 'us-east-1';
  });
  afterEach(() => {
    NAMES.forEach((name, index) => {
      if (before[index] === undefined) delete process.env[name];
      else process.env[name] = before[index];
    });
  });

  function nameTheTable(): void {
    process.env['CLAIMS_TABLE_NAME'] = table.tableName;
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = table.endpoint;
  }

  /** What a module makes when it is imported. */
  const made = {
    batches: () => createBatchProcessor(({ id }) => void runs.push(id), quiet),
    batchHandlers: () =>
      createBatchProcessor.forBatches(
        (items) => void runs.push(...items.map(({ record }) => record.id)),
        quiet,
      ),
    functions: () =>
      withIdempotency(async (id: string) => runs.push(id), { namespace: 'functions', key: (id) => id }),
    http: (onError = (_error: unknown): void => undefined) =>
      withHttpIdempotency(
        async (_event: LambdaHttpEvent) => ({ statusCode: 201, body: String(runs.push('http')) }),
        { namespace: 'http', scope: 'shared-by-all-callers', onError },
      ),
    fetch: (onError = (_error: unknown): void => undefined) =>
      withFetchIdempotency(() => new Response(String(runs.push('fetch')), { status: 201 }), {
        namespace: 'fetch',
        scope: 'shared-by-all-callers',
        onError,
      }),
  };
  const kinds = Object.keys(made) as (keyof typeof made)[];
  const fetched = (key: string): Request =>
    new Request('https://example.com', { method: 'POST', headers: { 'idempotency-key': key } });

  describe('outside of Lambda is made when it is first needed, so that a handler can be imported before', () => {
    it.each(['batches', 'batchHandlers'] as const)('in %s', async (kind) => {
      const processor = made[kind]();
      nameTheTable();
      const event = sqsEvent([{ messageId: kind, body: {} }]);
      for (let delivery = 1; delivery <= 2; delivery += 1) {
        expect(await processor(event, lambdaContext())).toEqual({ batchItemFailures: [] });
      }
      expect(runs).toEqual([kind]);
      expect(await table.rowOf(`test-function#v1:${kind}`)).toMatchObject({ status: { S: 'COMPLETED' } });
    });

    it('in functions', async () => {
      const idempotent = made.functions();
      nameTheTable();
      expect([await idempotent('a'), await idempotent('a')]).toEqual([1, 1]);
      expect(runs).toEqual(['a']);
    });

    it('in HTTP handlers', async () => {
      const [lambda, fetch] = [made.http(), made.fetch()];
      nameTheTable();
      const event = v2Event({ key: 'a' });
      expect(await lambda(event, lambdaContext())).toEqual({ statusCode: 201, body: '1' });
      expect(await lambda(event, lambdaContext())).toMatchObject({ statusCode: 201, body: '1' });
      expect(await (await fetch(fetched('a'))).text()).toBe('2');
      expect(await (await fetch(fetched('a'))).text()).toBe('2');
      expect(runs).toEqual(['http', 'fetch']);
    });

    it('and stays the same from then on', async () => {
      const idempotent = made.functions();
      nameTheTable();
      await idempotent('b');
      delete process.env['CLAIMS_TABLE_NAME'];
      await idempotent('c');
      expect(runs).toEqual(['b', 'c']);
    });
  });

  describe('without a table is an error that says what to do', () => {
    it.each(kinds)('at start in Lambda, where it is seen first: %s', (kind) => {
      process.env['AWS_LAMBDA_FUNCTION_NAME'] = 'orders';
      expect(() => made[kind]()).toThrow(expect.objectContaining(refusal));
    });

    it.each(['batches', 'batchHandlers'] as const)('at the first batch elsewhere: %s', async (kind) => {
      const processor = made[kind]();
      await expect(processor(sqsEvent([{ body: {} }]), lambdaContext())).rejects.toMatchObject(refusal);
      expect(runs).toEqual([]);
    });

    it('at the first batch also where records may run without a claim', async () => {
      const processor = createBatchProcessor(({ id }) => void runs.push(id), {
        ...quiet,
        onStoreError: runWithoutClaim(),
      });
      await expect(processor(sqsEvent([{ body: {} }]), lambdaContext())).rejects.toMatchObject(refusal);
      expect(runs).toEqual([]);
    });

    it('at the first call elsewhere', async () => {
      await expect(made.functions()('a')).rejects.toMatchObject(refusal);
      expect(runs).toEqual([]);
    });

    it('for `onError` at the first request elsewhere, and nothing runs', async () => {
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const answer = await made.http(onError)(v2Event({ key: 'a' }), lambdaContext());
      expect(answer).toMatchObject({ statusCode: 503 });
      expect((await made.fetch(onError)(fetched('a'))).status).toBe(503);
      expect(errors).toMatchObject([refusal, refusal]);
      expect(runs).toEqual([]);
    });

    it('until it is named: no restart is needed', async () => {
      const idempotent = made.functions();
      await expect(idempotent('d')).rejects.toMatchObject(refusal);
      nameTheTable();
      await idempotent('d');
      expect(runs).toEqual(['d']);
    });
  });

  describe('in a unit test without an endpoint is refused, with three ways out', () => {
    const inTests = {
      code: 'BATCHLATCH_DEFAULT_STORE_IN_TESTS',
      message: expect.stringMatching(/memoryStore\(\).*AWS_ENDPOINT_URL_DYNAMODB.*dynamoDBStore\(\)/s),
    };
    let traffic: Traffic;
    beforeEach(() => {
      process.env['CLAIMS_TABLE_NAME'] = table.tableName;
      traffic = watchTraffic();
    });
    afterEach(() => {
      traffic.stop();
      delete process.env['AWS_LAMBDA_RUNTIME_API'];
      process.env['NODE_ENV'] = 'test';
    });
    const sent = (): number => traffic.sent.direct + traffic.sent.sdk;

    it.each(['batches', 'batchHandlers'] as const)('at each batch, before any request: %s', async (kind) => {
      const processor = made[kind]();
      for (let batch = 1; batch <= 2; batch += 1) {
        await expect(processor(sqsEvent([{ body: {} }]), lambdaContext())).rejects.toMatchObject(inTests);
      }
      expect([runs, sent()]).toEqual([[], 0]);
    });

    it('at each call of a function and each HTTP request, before any request', async () => {
      await expect(made.functions()('a')).rejects.toMatchObject(inTests);
      const errors: unknown[] = [];
      const answer = await made.http((error) => void errors.push(error))(
        v2Event({ key: 'a' }),
        lambdaContext(),
      );
      expect(answer).toMatchObject({ statusCode: 503 });
      expect(errors).toMatchObject([inTests]);
      expect([runs, sent()]).toEqual([[], 0]);
    });

    it('where endpoints are ignored', async () => {
      nameTheTable();
      process.env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS'] = 'true';
      await expect(made.functions()('a')).rejects.toMatchObject(inTests);
    });

    it('and works once the environment names one', async () => {
      const idempotent = made.functions();
      await expect(idempotent('e')).rejects.toMatchObject(inTests);
      nameTheTable();
      await idempotent('e');
      expect(runs).toEqual(['e']);
    });

    it('but not a store that is given, another NODE_ENV, or a function that Lambda runs', async () => {
      const refused = { code: 'BATCHLATCH_DEFAULT_STORE_IN_TESTS' };
      const given = withIdempotency(async () => runs.push('given'), {
        namespace: 'given',
        key: () => 'given',
        store: dynamoDBStore({ client: table.newClient() }),
      });
      await given();
      expect(runs).toEqual(['given']);
      process.env['AWS_REGION'] = 'nowhere';
      process.env['NODE_ENV'] = 'production';
      await expect(made.functions()('f')).rejects.not.toMatchObject(refused);
      process.env['NODE_ENV'] = 'test';
      process.env['AWS_LAMBDA_RUNTIME_API'] = '127.0.0.1:9001';
      await expect(made.functions()('f')).rejects.not.toMatchObject(refused);
    });
  });

  it('refuses a name that no table can have at start, wherever it is', () => {
    process.env['CLAIMS_TABLE_NAME'] = 'my table';
    for (const kind of kinds) expect(() => made[kind]()).toThrow('Expected `tableName` to be');
  });

  it('leaves options to be checked at start', () => {
    expect(() => createBatchProcessor(() => undefined, { concurrency: 0 })).toThrow('Expected `concurrency`');
  });

  it('says of itself what the store says that it becomes', () => {
    const factsOf = (store: object): unknown =>
      Object.fromEntries(
        Object.entries(store).map(([name, value]: [string, unknown]) => [
          name,
          typeof value === 'function' ? 'function' : value,
        ]),
      );
    const { place: _ofATable, ...named } = dynamoDBStore({ tableName: 'claims' }); // which is not named yet
    expect(factsOf(dynamoDBStore())).toEqual(factsOf(named));
    expect(dynamoDBStore().requestSize).toBe(named.requestSize);
  });

  it('gives calls that come at once one and the same store', async () => {
    const store = dynamoDBStore();
    nameTheTable();
    const [request, rival] = [claimRequest('raced'), { ...claimRequest('raced'), owner: 'rival' }];
    const outcomes = await Promise.all([store.acquire([request]), store.acquire([rival])]);
    expect(
      outcomes
        .flat()
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual(['acquired', 'conflict']);
    expect(await store.inspect('raced')).toMatchObject({ status: 'IN_PROGRESS' });
  });
});
