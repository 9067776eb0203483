import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BatchItem, cached, createBatchProcessor, type RecordContext, resultsIn } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import {
  inTransaction,
  postgresStore,
  type TransactionAdapter,
  type TransactionClient,
} from 'batchlatch/postgres';
import { sqsEvent } from 'batchlatch/testing';
import type { Pool, PoolClient } from 'pg';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { startPostgresEmulator } from '../../../lab/local/emulators/postgres-emulator.ts';
import { memoryResultStorage } from '../../support/memory-result-storage.ts';
import { poolOf } from '../../support/postgres-table.ts';
import { type TransactionBench, transactionBench } from '../../support/transaction-bench.ts';

let service: LocalService;
let pool: Pool;
let b: TransactionBench;

beforeAll(async () => {
  service = await startPostgresEmulator();
  pool = poolOf(service.endpoint);
});
beforeEach(async () => {
  b = await transactionBench(pool);
});
afterAll(async () => {
  await pool.end();
  await service.stop();
});

const insert = (client: TransactionClient, id: string): Promise<unknown> =>
  client.query(`INSERT INTO ${b.effects} (id) VALUES ($1)`, [id]);

const idOf = ({ body }: { readonly body: unknown }): string => (body as { id: string }).id;

const serializationFailure = (): Error =>
  Object.assign(new Error('could not serialize access'), { code: '40001' });

describe('inTransaction', () => {
  it('commits the effect and the completion, with what the function returned as the result', async () => {
    const returned: unknown[] = [];
    const handler = async (record: { readonly body: unknown }, context: RecordContext): Promise<string> => {
      returned.push(
        await inTransaction(context, async (client) => {
          await insert(client, idOf(record));
          return { total: 3 };
        }),
      );
      return 'not this';
    };
    expect(await b.run(handler, ['a', 'b'])).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '{"total":3}', attempt: 1 });
    expect(await b.allEffects()).toEqual(['a', 'b']);
    expect(returned).toEqual([{ total: 3 }, { total: 3 }]);
    expect(b.typesOf('a')).toEqual(['claimed', 'started', 'committed', 'succeeded']);
    expect(await b.run(handler, ['a', 'b'])).toEqual([]);
    expect(await b.allEffects()).toEqual(['a', 'b']);
  });

  it('leaves a row as a completion that is settled leaves it', async () => {
    await b.run(
      async (record, context) =>
        idOf(record) === 'settled' ? { n: 1 } : inTransaction(context, async () => ({ n: 1 })),
      ['settled', 'committed'],
    );
    const {
      key: _1,
      owner: _2,
      record_id: _3,
      payload_hash: _4,
      ...settled
    } = (await b.claim('settled')) as Record<string, unknown>;
    const {
      key: _5,
      owner: _6,
      record_id: _7,
      payload_hash: _8,
      ...committed
    } = (await b.claim('committed')) as typeof settled;
    const times = ['updated_at', 'completed_at', 'expires_at', 'lease_until', 'created_at'];
    for (const time of times) {
      expect(Math.abs(Number(settled[time]) - Number(committed[time]))).toBeLessThan(5_000);
    }
    const others = (row: object): unknown[] => Object.entries(row).filter(([name]) => !times.includes(name));
    expect(others(committed)).toEqual(others(settled));
  });

  it('writes nothing where the function throws, which the handler gets', async () => {
    const failure = new Error('no stock');
    const handler = async (record: { readonly body: unknown }, context: RecordContext): Promise<void> => {
      await inTransaction(context, async (client) => {
        await insert(client, idOf(record));
        throw failure;
      });
    };
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', error: { message: 'no stock' } });
    expect(await b.effectsOf('a')).toBe(0);
  });

  it('lets the handler try something else after that', async () => {
    const handler = async (_: unknown, context: RecordContext): Promise<void> => {
      await inTransaction(context, async (client) => {
        await insert(client, 'first');
        throw new Error('no');
      }).catch(() => undefined);
      await inTransaction(context, (client) => insert(client, 'second').then(() => 'rejected'));
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(await b.allEffects()).toEqual(['second']);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '"rejected"' });
  });

  it('writes nothing for an owner whose claim was taken over', async () => {
    const errors: unknown[] = [];
    const handler = async (_: unknown, context: RecordContext): Promise<void> => {
      await b.takeOver('a');
      await inTransaction(context, (client) => insert(client, 'a')).catch((error: unknown) =>
        errors.push(error),
      );
    };
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_LEASE_LOST' }]);
    expect(await b.effectsOf('a')).toBe(0);
    expect(await b.claim('a')).toMatchObject({ status: 'IN_PROGRESS', owner: 'another' });
  });

  it.each(['FAILED', 'PARKED'])('writes nothing for a claim that has been settled as %s', async (status) => {
    const errors: unknown[] = [];
    const handler = async (_: unknown, context: RecordContext): Promise<void> => {
      await pool.query(`UPDATE ${b.claims} SET status = $1`, [status]);
      await inTransaction(context, (client) => insert(client, 'a')).catch((error: unknown) =>
        errors.push(error),
      );
    };
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_LEASE_LOST' }]);
    expect([await b.effectsOf('a'), (await b.claim('a'))?.['status']]).toEqual([0, status]);
  });

  it('does not commit what was done around an error that the function caught', async () => {
    const handler = async (_: unknown, context: RecordContext): Promise<void> => {
      await inTransaction(context, async (client) => {
        await insert(client, 'a');
        await client.query('SELECT 1 / 0').catch(() => undefined);
      });
    };
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(await b.effectsOf('a')).toBe(0);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED' });
  });

  it('completes nothing where a statement that nobody waits for makes the COMMIT a rollback', async () => {
    const handler = (_: unknown, context: RecordContext): Promise<void> =>
      inTransaction(context, async (client) => {
        await insert(client, 'a');
        const isForgotten = async (): Promise<void> => {
          await client.query('SELECT 1');
          await client.query('SELECT 1 / 0'); // sent after the completion, and before the COMMIT
        };
        isForgotten().catch(() => undefined);
      });
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(await b.effectsOf('a')).toBe(0);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED' });
    expect((await b.claim('a'))?.['error']).toMatchObject({
      message: expect.stringContaining('Await every statement'),
    });
  });

  it('completes nothing where the function has sent COMMIT itself, and says so', async () => {
    const handler = (_: unknown, context: RecordContext): Promise<void> =>
      inTransaction(context, async (client) => {
        await client.query('COMMIT');
      });
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    const error = (await b.claim('a'))?.['error'] as { message: string };
    expect(error).toMatchObject({ code: 'BATCHLATCH_CONFIGURATION' });
    expect(error.message).toContain('COMMIT or ROLLBACK itself');
  });

  it('keeps the record completed when its handler throws afterwards', async () => {
    const handler = async (_: unknown, context: RecordContext): Promise<void> => {
      await inTransaction(context, (client) => insert(client, 'a'));
      throw new Error('the mail was not sent');
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(b.typesOf('a')).toContain('failedAfterCommit');
  });

  it.each([1, 5])('runs the whole function again after %i serialization failures', async (failures) => {
    let runs = 0;
    const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, async (client) => {
        runs += 1;
        await insert(client, `run ${runs}`);
        // As an ORM would wrap it.
        if (runs <= failures) throw new Error('query failed', { cause: serializationFailure() });
      });
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(runs).toBe(failures + 1);
    expect(await b.allEffects()).toEqual([`run ${failures + 1}`]);
  });

  it.each([
    Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
    new Error('Connection terminated unexpectedly'),
    Object.assign(new Error('server conn crashed?'), { code: '08P01' }),
  ])('runs again where a statement of the function has lost the connection: %s', async (lost) => {
    let runs = 0;
    const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, async (client) => {
        runs += 1;
        await insert(client, `run ${runs}`);
        if (runs === 1) throw lost;
      });
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(await b.allEffects()).toEqual(['run 2']);
  });

  it('gives up after five', async () => {
    let runs = 0;
    const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, async () => {
        runs += 1;
        throw serializationFailure();
      });
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(runs).toBe(6);
  });

  it('runs again after a deadlock that the database tells, and not after other errors', async () => {
    const states = ['40P01', '23505'];
    let runs = 0;
    const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, async (client) => {
        const state = states[runs];
        runs += 1;
        await client.query(`DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${state}'; END $$`);
      });
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(runs).toBe(2);
    expect(await b.claim('a')).toMatchObject({ error: { code: '23505' } });
  });

  it('is allowed once in a run that completes, and one at a time', async () => {
    const handler = async (_: unknown, context: RecordContext): Promise<void> => {
      const notAllowed = { code: 'BATCHLATCH_COMMIT_NOT_ALLOWED' };
      await inTransaction(context, async (client) => {
        await expect(inTransaction(context, async () => undefined)).rejects.toMatchObject(notAllowed);
        await insert(client, 'a');
      });
      await expect(inTransaction(context, (client) => insert(client, 'b'))).rejects.toMatchObject(notAllowed);
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(await b.allEffects()).toEqual(['a']);
  });

  it('is not allowed after the handler has ended', async () => {
    let context: RecordContext | undefined;
    await b.run(
      (_, given) => {
        context = given;
      },
      ['a'],
    );
    await expect(inTransaction(context, (client) => insert(client, 'a'))).rejects.toMatchObject({
      code: 'BATCHLATCH_COMMIT_NOT_ALLOWED',
    });
    expect(await b.effectsOf('a')).toBe(0);
  });

  it('is waited for where the handler does not', async () => {
    const handler = (_: unknown, context: RecordContext): void => {
      void inTransaction(context, async (client) => {
        await insert(client, 'a');
        await new Promise((resolve) => setTimeout(resolve, 30));
        return 'in time';
      });
    };
    expect(await b.run(handler, ['a'])).toEqual([]);
    expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '"in time"' });
    expect(await b.effectsOf('a')).toBe(1);
  });

  it('fails the record where the handler does not wait for a function that throws', async () => {
    const handler = (_: unknown, context: RecordContext): string => {
      void inTransaction(context, async (client) => {
        await insert(client, 'a');
        throw new Error('too late to tell');
      });
      return 'done, says the handler';
    };
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED', error: { message: 'too late to tell' } });
    expect(await b.effectsOf('a')).toBe(0);
  });

  it('reaches the store through a cache and a result storage', async () => {
    const { storage, objects } = memoryResultStorage();
    const own = await transactionBench(pool, (_, table) =>
      cached(resultsIn({ ...storage, thresholdBytes: 10 }, postgresStore({ pool, table })), { max: 10 }),
    );
    const handler = (_: unknown, context: RecordContext): Promise<string> =>
      inTransaction(context, async () => 'x'.repeat(100));
    expect(await own.run(handler, ['a'])).toEqual([]);
    expect(objects.size).toBe(1);
    expect((await own.claim('a'))?.['result']).toMatch(/^@/);
  });

  it('gives a client of the pool to a function that asks for one', async () => {
    const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, (client: PoolClient) => client.query({ text: 'SELECT 1', rowMode: 'array' }));
    expect(await b.run(handler, ['a'])).toEqual([]);
  });

  it('gives its connection back to the pool, however it ends', async () => {
    const small = poolOf(service.endpoint, { max: 1 });
    const own = await transactionBench(small);
    await own.run((_, context) => inTransaction(context, async () => 'fine'), ['a']);
    await own.run((_, context) => inTransaction(context, () => Promise.reject(new Error('no'))), ['b']);
    await own.run((_, context) => inTransaction(context, (client) => client.query('COMMIT')), ['c']);
    expect([small.totalCount, small.idleCount, small.waitingCount]).toEqual([1, 1, 0]);
    await small.end();
  });

  it('keeps a connection on which the database has refused the COMMIT', async () => {
    const small = poolOf(service.endpoint, { max: 1 });
    let opened = 0;
    small.on('connect', () => (opened += 1));
    const own = await transactionBench(small);
    await small.query(`ALTER TABLE ${own.effects} ADD UNIQUE (id) DEFERRABLE INITIALLY DEFERRED`);
    const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, async (client) => {
        await client.query(`INSERT INTO ${own.effects} (id) VALUES ('a'), ('a')`);
      });
    expect(await own.run(handler, ['a'])).toEqual(['a']);
    expect((await own.claim('a'))?.['error']).toMatchObject({ code: expect.anything() });
    expect([opened, small.idleCount, await own.effectsOf('a')]).toEqual([1, 1, 0]);
    await small.end();
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a fake of a test', { idempotencyKey: 'k' }],
  ])('says what to give it where it gets %s for a context', async (_what, context) => {
    await expect(inTransaction(context as RecordContext, async () => undefined)).rejects.toMatchObject({
      code: 'BATCHLATCH_CONFIGURATION',
    });
  });

  it.each([
    ['memoryStore', memoryStore()],
    [
      'dynamoDBStore',
      dynamoDBStore({ tableName: 'claims', client: { send: () => Promise.reject(new Error('no')) } }),
    ],
  ])('says what is missing where the claims are in a %s', async (name, store) => {
    const errors: Error[] = [];
    const own = name === 'memoryStore' ? store : cached(memoryStoreLike(store), { max: 1 });
    const handler = createBatchProcessor(
      async (_, context) => {
        await inTransaction(context, async () => 'effect').catch((error: Error) => errors.push(error));
      },
      { store: own, namespace: 'n', observer: { onEvent: () => undefined } },
    );
    await handler(sqsEvent([{ body: {} }]));
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_CONFIGURATION' }]);
    expect(errors[0]?.message).toContain('postgresStore({ pool })');
  });

  it.each([
    [{ adapter: {} }, 'adapter'],
    [{ isolationLevel: 'chaos' }, 'isolationLevel'],
    [{ isolation: 'serializable' }, 'isolationLevel'],
  ])('refuses the options %j', async (options, named) => {
    const error: unknown = await inTransaction({}, async () => 1, options as object).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'BATCHLATCH_CONFIGURATION' });
    expect(String(error)).toContain(named);
  });
});

/** Of a DynamoDB store that is asked for nothing: claims in memory, and its `commit`. */
function memoryStoreLike(store: ReturnType<typeof dynamoDBStore>): ReturnType<typeof dynamoDBStore> {
  return { ...memoryStore(), ...(store.commit && { commit: store.commit }) };
}

describe('an adapter that is not as it should be', () => {
  const wrong: [string, TransactionAdapter<PoolClient>, string][] = [
    [
      'does not run the function',
      { transaction: async () => undefined as never, query: async () => [] },
      'has not run',
    ],
    [
      'makes nothing of an error',
      {
        transaction: async (body) => onClient(async (client) => body(client).catch(() => undefined as never)),
        query: async (client, text, values) => (await client.query(text, [...values])).rows as unknown[],
      },
      'no stock',
    ],
  ];

  it('commits nothing although a statement has failed: completes nothing', async () => {
    const adapter: TransactionAdapter<PoolClient> = {
      transaction: (body) =>
        onClient(async (client) => {
          await client.query('BEGIN');
          const result = await body(client);
          await client.query('SELECT 1 / 0').catch(() => undefined);
          await client.query('COMMIT');
          return result;
        }),
      query: async (client, text, values) => (await client.query(text, [...values])).rows as unknown[],
    };
    const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
      inTransaction(context, (client) => insert(client, 'a'), { adapter });
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect(await b.effectsOf('a')).toBe(0);
    expect((await b.claim('a'))?.['error']).toMatchObject({
      message: expect.stringContaining('rolled back instead of committed'),
    });
  });

  async function onClient<Result>(body: (client: PoolClient) => Promise<Result>): Promise<Result> {
    const client = await pool.connect();
    try {
      return await body(client);
    } finally {
      client.release(true);
    }
  }

  it.each(wrong)('%s: completes nothing', async (_what, adapter, message) => {
    const handler = (_: unknown, context: RecordContext): Promise<never> =>
      inTransaction(context, () => Promise.reject(new Error('no stock')), { adapter });
    expect(await b.run(handler, ['a'])).toEqual(['a']);
    expect((await b.claim('a'))?.['error']).toMatchObject({ message: expect.stringContaining(message) });
  });
});

describe('inTransaction of many records', () => {
  const insertAll = (client: TransactionClient, ids: readonly string[]): Promise<unknown> =>
    client.query(`INSERT INTO ${b.effects} (id) SELECT unnest($1::text[])`, [ids]);
  const idsOf = (items: readonly BatchItem[]): string[] => items.map(({ record }) => idOf(record));

  it('commits the effects and all completions, and gives back the results', async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `r${index}`);
    expect(
      await b.runMany(
        (items) =>
          inTransaction(items, async (client, live) => {
            await insertAll(client, idsOf(live));
            return idsOf(live).map((id) => ({ id }));
          }),
        ids,
      ),
    ).toEqual([]);
    expect(await b.allEffects()).toEqual(ids.toSorted());
    expect(await b.claim('r7')).toMatchObject({ status: 'COMPLETED', result: '{"id":"r7"}' });
    expect(b.events.filter(({ type }) => type === 'committed')).toHaveLength(30);
    expect(b.events.filter(({ type }) => type === 'settling')).toHaveLength(0);
  });

  it('leaves out a record whose claim is lost, which fails alone', async () => {
    const seen: string[][] = [];
    const back = await b.runMany(
      async (items) => {
        await b.takeOver('b');
        return inTransaction(items, async (client, live) => {
          seen.push(idsOf(live));
          await insertAll(client, idsOf(live));
        });
      },
      ['a', 'b', 'c'],
    );
    expect(back).toEqual(['b']);
    expect(seen).toEqual([
      ['a', 'b', 'c'],
      ['a', 'c'],
    ]);
    expect(await b.allEffects()).toEqual(['a', 'c']);
    expect(await b.claim('b')).toMatchObject({ status: 'IN_PROGRESS', owner: 'another' });
  });

  it.each([
    ['returns what it gives back', true],
    ['returns nothing', false],
  ])('does not complete a record with an error, where the handler %s', async (_what, isReturned) => {
    const back = await b.runMany(
      async (items) => {
        const entries = await inTransaction(items, async (client, live) => {
          await insertAll(
            client,
            idsOf(live).filter((id) => id !== 'b'),
          );
          return idsOf(live).map((id) => (id === 'b' ? new Error('no stock') : undefined));
        });
        return isReturned ? entries : undefined;
      },
      ['a', 'b', 'c'],
    );
    expect(back).toEqual(['b']);
    expect(await b.claim('b')).toMatchObject({ status: 'FAILED', error: { message: 'no stock' } });
    expect(await b.allEffects()).toEqual(['a', 'c']);
  });

  it('can give a record with an error a transaction of its own', async () => {
    const back = await b.runMany(
      async (items) => {
        await inTransaction(items, async (_, live) =>
          idsOf(live).map((id) => (id === 'b' ? new Error('no') : id)),
        );
        await inTransaction(
          items.filter(({ record }) => idOf(record) === 'b'),
          (client, live) => insertAll(client, idsOf(live)).then(() => undefined),
        );
      },
      ['a', 'b'],
    );
    expect(back).toEqual([]);
    expect(await b.allEffects()).toEqual(['b']);
  });

  it('commits nothing where every record has an error', async () => {
    const back = await b.runMany(
      (items) =>
        inTransaction(items, async (client, live) => {
          await insertAll(client, idsOf(live));
          return live.map(() => new Error('none'));
        }),
      ['a', 'b'],
    );
    expect(back).toEqual(['a', 'b']);
    expect(await b.allEffects()).toEqual([]);
  });

  it.each<[string, (items: readonly BatchItem[]) => Promise<readonly unknown[]>]>([
    ['throws', (items) => inTransaction(items, () => Promise.reject(new Error('no')))],
    ['returns too few entries', (items) => inTransaction(items, async () => [1])],
  ])('writes nothing where the function %s', async (_what, handler) => {
    expect(await b.runMany(handler, ['a', 'b'])).toEqual(['a', 'b']);
    expect(await b.claim('a')).toMatchObject({ status: 'FAILED' });
  });

  it('begins nothing where one of the records is completed already', async () => {
    const errors: unknown[] = [];
    const back = await b.runMany(
      async (items) => {
        await inTransaction(items.slice(0, 1), (client, live) =>
          insertAll(client, idsOf(live)).then(() => undefined),
        );
        await inTransaction(items, (client, live) =>
          insertAll(client, idsOf(live)).then(() => undefined),
        ).catch((error: unknown) => errors.push(error));
        await inTransaction(items.slice(1), (client, live) =>
          insertAll(client, idsOf(live)).then(() => undefined),
        );
      },
      ['a', 'b'],
    );
    expect(back).toEqual([]);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_COMMIT_NOT_ALLOWED' }]);
    expect(await b.allEffects()).toEqual(['a', 'b']);
  });

  it('gives nothing for nothing', async () => {
    expect(await inTransaction([], async () => [])).toEqual([]);
  });
});

describe('memoryStore({ transactionClient }) in a test of a handler', () => {
  it('hands the function the client of the test', async () => {
    const sent: unknown[] = [];
    const query = async (...call: unknown[]): Promise<object> => {
      sent.push(call);
      return { rows: [{ id: 7 }], rowCount: 1 };
    };
    const results: unknown[] = [];
    const store = memoryStore({ transactionClient: { query } });
    const handler = createBatchProcessor(
      async (_, context) => {
        const rows = await inTransaction(context, async (client) => (await client.query('INSERT')).rows);
        results.push(rows);
      },
      { store, namespace: 'n', observer: { onEvent: () => undefined } },
    );
    const event = sqsEvent([{ body: {} }]);
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(await handler(event)).toEqual({ batchItemFailures: [] });
    expect(sent).toEqual([['INSERT']]);
    expect(results).toEqual([[{ id: 7 }]]);
  });

  it('refuses with the error that onCommit gives back, and runs the function again for a serialization failure', async () => {
    const answers = [serializationFailure(), new Error('refused')];
    const clients: unknown[] = [];
    const client = { query: async () => ({ rows: [], rowCount: 0 }) };
    const store = memoryStore({
      transactionClient: client,
      onCommit: (given) => {
        clients.push(given);
        return answers.shift();
      },
    });
    let runs = 0;
    const handler = createBatchProcessor.forBatches(
      (items) => inTransaction(items, async (_, live) => void (runs += live.length)),
      { store, namespace: 'n', observer: { onEvent: () => undefined } },
    );
    const { batchItemFailures } = await handler(sqsEvent([{ body: 1 }, { body: 2 }]));
    expect(batchItemFailures).toHaveLength(1);
    expect([runs, clients]).toEqual([4, [client, client, client]]);
  });
});

it('refuses a generator as its work, which would write nothing and complete the record', async () => {
  const why =
    'Expected the second argument of inTransaction of batchlatch/postgres to be a function, got a generator';
  await expect(inTransaction(undefined, async function* () {} as never)).rejects.toThrow(why);
});
