import { randomUUID } from 'node:crypto';
import {
  type AttributeValue,
  CreateTableCommand,
  type DynamoDBClient,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { describe, expect, it, jest } from '@jest/globals';
import { type BatchRecord, type ClaimStore } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { lambdaContext, type ManualClock, manualClock } from 'batchlatch/testing';
import {
  powertoolsKey,
  powertoolsValidation,
  powertoolsAttributes,
  powertoolsAttributesNamed,
  type PowertoolsTableOptions,
} from 'batchlatch/powertools';
import { claimRequest, completion, RETENTION_MS, settlementOf } from '../support/claim-builders.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { afterAnswers } from '../support/sdk-traffic.ts';

/** A handler's run that has begun and ends when it is told to. */
interface Running {
  readonly settled: Promise<unknown>;
  end(result?: unknown): void;
  fail(error: Error): void;
}

const RESULTS: readonly [unknown][] = [
  [undefined],
  [null],
  ['text'],
  [''],
  [0],
  [-12.5e-7],
  [false],
  [[]],
  [{}],
  [{ total: 3, lines: [{ sku: 'ü', price: 0.1, note: null }], empty: '' }],
];

const RECORD = { source: 'sqs' } as BatchRecord;
const NEVER = (): never => {
  throw new Error('It ran, although it must not');
};

for (const writes of ['batch', 'single'] as const) {
  describe(`one table, Powertools and ${writes} writes`, () => {
    const table = emulatedTable('dynoxide');

    /** Both libraries on the table, and one payload that both know by the same id. */
    function open(config: Record<string, unknown> = {}) {
      const client = table.newClient();
      const clock = manualClock(Date.now());
      const data = { id: randomUUID(), amount: 1 };
      const { tableName } = table;
      return {
        clock,
        data,
        client,
        key: idOf(data),
        store: dynamoDBStore({ client, tableName, writes, clock, attributes: powertoolsAttributes }),
        powertools: powertoolsOn(new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: client }), config),
      };
    }

    describe('what Powertools wrote', () => {
      it.each(RESULTS)('a completion is a duplicate with its result: %j', async (result) => {
        const { powertools, data, store, key } = open();
        await powertools.run(data, () => result);
        const [outcome] = await store.acquire([claimRequest(key)]);
        expect(outcome?.status).toBe('duplicate');
        expect(parsed(outcome)).toEqual(result);
      });

      it('what runs there conflicts until its in-progress expiration, and is taken over then', async () => {
        const { powertools, data, store, key, clock } = open({ remainingTimeMs: 30_000 });
        const running = await powertools.start(data);
        const [outcome] = await store.acquire([claimRequest(key)]);
        const row = await table.rowOf(key);
        const leaseUntil = Number(row?.['in_progress_expiration']?.N);
        expect(outcome).toEqual({ status: 'conflict', leaseUntil, attempt: 1 });

        await clock.advance(leaseUntil - clock.now() - 1);
        expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'conflict' }]);
        await clock.advance(1);
        expect(await store.acquire([claimRequest(key)])).toMatchObject([
          { status: 'acquired', attempt: 2, crashes: 1, tookOver: true },
        ]);
        running.end();
        await running.settled;
      });

      it('what runs there without a Lambda context conflicts until it is forgotten', async () => {
        const { powertools, data, store, key, clock } = open({ expiresAfterSeconds: 60 });
        const running = await powertools.start(data);
        expect(await table.rowOf(key)).not.toHaveProperty('in_progress_expiration');
        await clock.advance(58_000);
        expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'conflict' }]);
        await afterNow(clock, 61_000);
        expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'acquired' }]);
        running.end();
        await running.settled;
      });

      it('what runs there for longer than it is remembered conflicts all the same', async () => {
        const { powertools, data, store, key, clock } = open({
          expiresAfterSeconds: 5,
          remainingTimeMs: 60_000,
        });
        const running = await powertools.start(data);
        await clock.advance(59_000);
        expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'conflict' }]);
        running.end();
        await running.settled;
      });

      it('what failed there, or is forgotten, runs here', async () => {
        const { powertools, data, store, key, clock } = open({ expiresAfterSeconds: 60 });
        await expect(powertools.run(data, () => Promise.reject(new Error('declined')))).rejects.toThrow(
          'declined',
        );
        expect(await store.acquire([claimRequest(key)])).toMatchObject([{ status: 'acquired', attempt: 1 }]);

        const other = { id: randomUUID() };
        await powertools.run(other, () => 'old');
        await afterNow(clock, 61_000);
        const request = claimRequest(idOf(other));
        expect(await store.acquire([request])).toMatchObject([{ status: 'acquired', attempt: 1 }]);
        expect(await store.settle([completion(request)])).toEqual(['stored']);
        expect(await table.rowOf(request.key)).not.toHaveProperty('data');
      });

      it('is looked at again when it changes between the look and the takeover', async () => {
        const { data, store, key, clock, client, powertools } = open({ expiresAfterSeconds: 60 });
        await powertools.run(data, () => 'first');
        await afterNow(clock, 61_000); // forgotten by this clock
        let isChanged = false;
        afterAnswers(client, async (operation) => {
          if (isChanged || !/BatchGetItem|GetItem/.test(operation)) return;
          isChanged = true; // completed again, as by a Powertools whose clock goes as this one does
          await putRow(client, table.tableName, {
            id: { S: key },
            status: { S: 'COMPLETED' },
            expiration: { N: String(Math.ceil(clock.now() / 1_000) + 60) },
            data: { S: 'second' },
          });
        });
        const outcomes = await store.acquire([claimRequest(key, { isRedelivery: true })]);
        expect(isChanged).toBe(true);
        expect(outcomes).toMatchObject([{ status: 'duplicate', result: '"second"' }]);
      });

      it('is refused where it is none of its rows', async () => {
        const { store, key, client } = open();
        await putRow(client, table.tableName, { id: { S: key }, status: { S: 'DONE' } });
        expect(await store.acquire([claimRequest(key)])).toMatchObject([
          {
            status: 'error',
            error: {
              code: 'BATCHLATCH_NOT_A_CLAIM',
              message: expect.not.stringContaining(key),
            },
          },
        ]);
      });

      it('reads sets and binary values as what JSON has for them', async () => {
        const { store, key, client } = open();
        await putRow(client, table.tableName, {
          id: { S: key },
          status: { S: 'COMPLETED' },
          data: {
            M: { s: { SS: ['a'] }, n: { N: '12345678901234567890' }, b: { B: Uint8Array.of(1, 2) } },
          },
        });
        const [outcome] = await store.acquire([claimRequest(key)]);
        expect(parsed(outcome)).toEqual({ s: ['a'], n: 12345678901234567000, b: 'AQI=' });
      });
    });

    describe('what this library wrote', () => {
      it.each(RESULTS)('a completion is replayed by Powertools with its result: %j', async (result) => {
        const { powertools, data, store, key } = open();
        const request = claimRequest(key);
        await store.acquire([request]);
        const json = JSON.stringify(result) as string | undefined;
        expect(await store.settle([completion(request, json)])).toEqual(['stored']);
        expect(await powertools.run(data, NEVER)).toEqual(result);
        expect(parsed((await store.acquire([claimRequest(key)]))[0])).toEqual(result);
      });

      it.each([
        ['too deep', JSON.stringify(nested(40))],
        ['beyond 2^53', '[1e300]'],
        ['too small', '[1e-200]'],
        ['of more digits than a double holds', '[0.1234567890123456789]'],
        ['__proto__', '{"__proto__":{"a":1}}'],
        ['half a surrogate pair', JSON.stringify('\ud800')],
      ])('a result that DynamoDB has no value for is kept as text: %s', async (_what, json) => {
        const { powertools, data, store, key } = open();
        const request = claimRequest(key);
        await store.acquire([request]);
        expect(await store.settle([completion(request, json)])).toEqual(['stored']);
        expect(await store.acquire([claimRequest(key)])).toMatchObject([
          { status: 'duplicate', result: json },
        ]);
        expect(await powertools.run(data, NEVER)).toBeUndefined();
      });

      // Its conversion takes seconds, and is the same for both.
      if (writes === 'batch')
        it('a result as long as the store takes fits in any shape', async () => {
          const { store, key } = open();
          const request = claimRequest(key);
          const json = JSON.stringify(Array.from({ length: (store.maxResultBytes ?? 0) / 2 - 1 }, () => 1));
          await store.acquire([request]);
          expect(await store.settle([completion(request, json)])).toEqual(['stored']);
          expect((await table.rowOf(key))?.['data']).toBeDefined();
        });

      it('what runs here is in progress there', async () => {
        const { powertools, data, store, key } = open();
        await store.acquire([claimRequest(key)]);
        await expect(powertools.run(data, NEVER)).rejects.toThrow(/already an execution in progress/);
      });

      it('a lease that is over here is over there', async () => {
        const { powertools, data, store, key } = open();
        await store.acquire([claimRequest(key, { leaseMs: 1 })]);
        await later(2);
        expect(await powertools.run(data, () => 'theirs')).toBe('theirs');
        expect(await store.acquire([claimRequest(key)])).toMatchObject([
          { status: 'duplicate', result: '"theirs"' },
        ]);
      });

      it('a late owner here changes nothing of what runs, or ended, there', async () => {
        const { powertools, data, store, key } = open({ remainingTimeMs: 60_000 });
        const late = claimRequest(key, { leaseMs: 1 });
        await store.acquire([late]);
        await later(2);
        const running = await powertools.start(data);
        const everyEnd = (['complete', 'fail', 'park', 'release'] as const).map((end) =>
          settlementOf(end, late, '"ours"'),
        );
        const noneIsStored = async (): Promise<void> => {
          const before = await table.rowOf(key);
          for (const end of everyEnd) expect(await store.settle([end])).toEqual(['lost']);
          expect(await store.extend([late])).toEqual(['lost']);
          expect(await table.rowOf(key)).toEqual(before);
        };
        await noneIsStored();
        running.end('theirs');
        await running.settled;
        await noneIsStored();
      });

      it.each(['fail', 'release'] as const)('what ended with %s may run there at once', async (end) => {
        const { powertools, data, store, key } = open();
        const request = claimRequest(key);
        await store.acquire([request]);
        expect(await store.settle([settlementOf(end, request)])).toEqual(['stored']);
        expect(await powertools.run(data, () => 'theirs')).toBe('theirs');
      });

      it('what is parked does not run there while it is remembered', async () => {
        const { powertools, data, store, key, clock } = open();
        const request = claimRequest(key, { retentionMs: 1_000, leaseMs: 1 });
        await store.acquire([request]);
        expect(await store.settle([settlementOf('park', request)])).toEqual(['stored']);
        await later(2);
        await expect(powertools.run(data, NEVER)).rejects.toThrow(/already an execution in progress/);
        const seconds = Math.ceil((clock.now() + RETENTION_MS) / 1_000);
        expect((await table.rowOf(key))?.['expiration']).toEqual({ N: String(seconds) });
        expect(await store.inspect(key)).toMatchObject({ status: 'PARKED' });
      });

      it('what was parked runs there once it is forgotten', async () => {
        const { powertools, data, store, key } = open();
        const parkedLongAgo = dynamoDBStore({
          client: table.newClient(),
          tableName: table.tableName,
          writes,
          attributes: powertoolsAttributes,
          clock: manualClock(Date.now() - RETENTION_MS - 2_000),
        });
        const request = claimRequest(key);
        await parkedLongAgo.acquire([request]);
        expect(await parkedLongAgo.settle([settlementOf('park', request)])).toEqual(['stored']);
        expect(await store.inspect(key)).toBeUndefined();
        expect(await powertools.run(data, () => 'theirs')).toBe('theirs');
        expect(await store.acquire([claimRequest(key)])).toMatchObject([
          { status: 'duplicate', result: '"theirs"' },
        ]);
      });

      it('what is forgotten leaves nothing behind that Powertools would take for a result', async () => {
        const { powertools, data, store, key, clock } = open();
        const first = claimRequest(key, { lockedBy: 'somebody' });
        await store.acquire([first]);
        await clock.advance(1);
        await store.settle([{ ...completion(first, '"old"'), retentionMs: 1_000 }]);
        await clock.advance(3_000);
        const second = claimRequest(key);
        expect(await store.acquire([second])).toMatchObject([{ status: 'acquired', attempt: 1 }]);
        await store.settle([completion(second)]);
        expect(await powertools.run(data, NEVER)).toBeUndefined();
      });

      it('a settled attempt cannot be settled again in another way', async () => {
        const { store, key } = open();
        const request = claimRequest(key);
        await store.acquire([request]);
        await store.settle([settlementOf('release', request)]);
        expect(await store.settle([completion(request, '1')])).toEqual(['lost']);
        expect(await store.inspect(key)).toMatchObject({ status: 'FAILED' });
      });
    });

    describe('Powertools ends late, after its claim was taken over', () => {
      async function takenOver() {
        const bench = open({ remainingTimeMs: 5 });
        const running = await bench.powertools.start(bench.data);
        // Powertools goes by the machine's clock, which went on while it started.
        await bench.clock.advance(60_000);
        const request = claimRequest(bench.key);
        expect(await bench.store.acquire([request])).toMatchObject([{ status: 'acquired', tookOver: true }]);
        return { ...bench, running, request };
      }

      it('with a success: it completes the claim of the next, which learns that it lost it', async () => {
        const { running, store, request, key } = await takenOver();
        running.end('theirs');
        expect(await running.settled).toBe('theirs');
        expect(await store.settle([completion(request, '"ours"')])).toEqual(['lost']);
        expect(await store.extend([request])).toEqual(['lost']);
        expect(await store.inspect(key)).toMatchObject({ status: 'COMPLETED', owner: 'powertools' });
        expect(await store.acquire([claimRequest(key)])).toMatchObject([
          { status: 'duplicate', result: '"theirs"' },
        ]);
      });

      it('with a failure: it deletes the claim of the next, which learns that it lost it', async () => {
        const { running, store, request, key } = await takenOver();
        running.fail(new Error('declined'));
        await expect(running.settled).rejects.toThrow('declined');
        expect(await store.settle([completion(request, '"ours"')])).toEqual(['lost']);
        expect(await table.rowOf(key)).toBeUndefined();
      });

      it('with a success over what is parked: the key counts as completed', async () => {
        const { running, store, request, key } = await takenOver();
        await store.settle([settlementOf('park', request)]);
        running.end('theirs');
        await running.settled;
        expect(await store.acquire([claimRequest(key)])).toMatchObject([
          { status: 'duplicate', result: '"theirs"' },
        ]);
      });
    });

    describe('payload validation', () => {
      const config = { eventKeyJmesPath: 'id', payloadValidationJmesPath: 'amount' };
      const validation = (data: unknown) =>
        powertoolsValidation({ payloadValidationJmesPath: 'amount', payload: () => data })(RECORD);

      it('another payload is recognized by either, in progress and completed', async () => {
        const { powertools, data, store, key } = open(config);
        const other = { ...data, amount: 2 };
        const running = await powertools.start(data);
        expect(await store.acquire([claimRequest(key, { payloadHash: validation(other) })])).toEqual([
          { status: 'mismatch' },
        ]);
        expect(await store.acquire([claimRequest(key, { payloadHash: validation(data) })])).toMatchObject([
          { status: 'conflict' },
        ]);
        running.end('done');
        await running.settled;
        expect(await store.acquire([claimRequest(key, { payloadHash: validation(other) })])).toEqual([
          { status: 'mismatch' },
        ]);

        const mine = { id: randomUUID(), amount: 1 };
        const request = claimRequest(idOf(mine), { payloadHash: validation(mine) });
        await store.acquire([request]);
        await expect(powertools.run({ ...mine, amount: 2 }, NEVER)).rejects.toThrow(/Payload does not match/);
        await store.settle([completion(request, '"ours"')]);
        await expect(powertools.run({ ...mine, amount: 2 }, NEVER)).rejects.toThrow(/Payload does not match/);
        expect(await powertools.run(mine, NEVER)).toBe('ours');
      });
    });

    it.each<[string, PowertoolsTableOptions]>([
      ['names of their own', { keyAttr: 'pk', statusAttr: 'st', expiryAttr: 'ttl', dataAttr: 'value' }],
      ['a sort key', { keyAttr: 'pk', sortKeyAttr: 'sk', staticPkValue: 'everything' }],
      ['a sort key and the default of its partition', { keyAttr: 'pk', sortKeyAttr: 'sk' }],
    ])('works on tables with %s', async (_what, options) => {
      const client = table.newClient();
      const tableName = await createPowertoolsTable(client, options);
      const clock = manualClock(Date.now());
      const attributes = powertoolsAttributesNamed(options);
      const store = dynamoDBStore({ client, tableName, writes, clock, attributes });
      const layer = new DynamoDBPersistenceLayer({ tableName, awsSdkV3Client: client, ...options });
      const powertools = powertoolsOn(layer, {});

      const [theirs, ours, failed] = [{ id: 'theirs' }, { id: 'ours' }, { id: 'failed' }];
      await powertools.run(theirs, () => ({ total: 3 }));
      const requests = [theirs, ours, failed].map((data) => claimRequest(idOf(data)));
      expect(await store.acquire(requests)).toMatchObject([
        { status: 'duplicate', result: '{"total":3}' },
        { status: 'acquired' },
        { status: 'acquired' },
      ]);
      const [, request, other] = requests as [unknown, (typeof requests)[0], (typeof requests)[0]];
      expect(await store.settle([completion(request, '{"total":4}'), settlementOf('fail', other)])).toEqual([
        'stored',
        'stored',
      ]);
      expect(await powertools.run(ours, NEVER)).toEqual({ total: 4 });
      const redeliveries = requests.map((one) => ({ ...one, owner: randomUUID(), isRedelivery: true }));
      expect(await store.acquire(redeliveries)).toMatchObject([
        { status: 'duplicate' },
        { status: 'duplicate', result: '{"total":4}' },
        { status: 'acquired', attempt: 2 },
      ]);
    });
  });
}

describe('names that cannot work are refused at start', () => {
  it.each<[PowertoolsTableOptions, RegExp]>([
    [{ keyattr: 'pk' } as never, /Unknown attribute `keyattr`/],
    [{ keyAttr: 'p k' }, /Expected attribute `keyAttr` to be named with/],
    [{ dataAttr: 'status' }, /Two attributes are named `status`/],
    [{ dataAttr: 'owner' }, /Two attributes are named `owner`/],
    [{ keyAttr: 'state' }, /Two attributes are named `state`/],
    [{ keyAttr: 'pk', sortKeyAttr: 'pk' }, /Two attributes are named `pk`/],
    [{ staticPkValue: 'x' }, /Expected `staticPkValue` to come with a `sortKeyAttr`/],
    [{ sortKeyAttr: 'sk', staticPkValue: '' }, /Expected `staticPkValue` to be a non-empty string/],
  ])('%j', (options, message) => {
    expect(() => powertoolsAttributesNamed(options)).toThrow(message);
  });
});

function idOf(data: { readonly id: string }): string {
  return powertoolsKey({ eventKeyJmesPath: 'id', payload: () => data })(RECORD);
}

function parsed(outcome: Awaited<ReturnType<ClaimStore['acquire']>>[0] | undefined): unknown {
  if (outcome?.status !== 'duplicate') throw new Error(`Expected a duplicate, got ${outcome?.status}`);
  return outcome.result === undefined ? undefined : JSON.parse(outcome.result);
}

/** Powertools' `makeIdempotent` over a layer; `remainingTimeMs` gives it a Lambda context. */
function powertoolsOn(
  persistenceStore: DynamoDBPersistenceLayer,
  { remainingTimeMs, ...options }: { remainingTimeMs?: number; [option: string]: unknown },
) {
  const config = new IdempotencyConfig({ eventKeyJmesPath: 'id', ...options });
  if (remainingTimeMs !== undefined) config.registerLambdaContext(lambdaContext({ remainingTimeMs }));
  const run = async (data: unknown, handler: () => unknown): Promise<unknown> => {
    jest.spyOn(console, 'warn').mockImplementation(() => undefined); // of every call without a context
    return makeIdempotent(async (_data: unknown) => handler(), { persistenceStore, config })(data);
  };
  return {
    run,
    /** Resolves when the handler runs, so that its row is there. */
    start: (data: unknown): Promise<Running> =>
      new Promise((resolve, reject) => {
        const settled = run(
          data,
          () =>
            new Promise((end, fail) => {
              resolve({ settled, end, fail });
            }),
        );
        settled.catch(reject);
      }),
  };
}

async function putRow(
  client: DynamoDBClient,
  TableName: string,
  Item: Record<string, AttributeValue>,
): Promise<void> {
  await client.send(new PutItemCommand({ TableName, Item }));
}

async function createPowertoolsTable(
  client: DynamoDBClient,
  { keyAttr = 'id', sortKeyAttr }: PowertoolsTableOptions,
): Promise<string> {
  const TableName = `powertools-${randomUUID()}`;
  const names = sortKeyAttr === undefined ? [keyAttr] : [keyAttr, sortKeyAttr];
  await client.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: names.map((AttributeName, index) => ({
        AttributeName,
        KeyType: index === 0 ? 'HASH' : 'RANGE',
      })),
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  return TableName;
}

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

/** Moves a clock that stands still to so long after now: what Powertools has written counts from the machine's clock. */
function afterNow(clock: ManualClock, ms: number): Promise<void> {
  return clock.advance(Date.now() - clock.now() + ms);
}

/** Powertools reads the machine's clock. */
async function later(ms: number): Promise<void> {
  const until = Date.now() + ms;
  while (Date.now() <= until) await new Promise((resolve) => setImmediate(resolve));
}
