import { inPostgres } from '../../test/support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { deleteForgottenClaims } from 'batchlatch/postgres';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import type { Pool } from 'pg';
import type { ClaimStore, Settlement } from '../../src/claims/claim-store.ts';
import { countingPool } from '../../test/support/counting-pool.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';

const WORKERS = 8;
const ROUNDS = 40;

describeWith([postgres], 'PostgreSQL under many workers', () => {
  let server: PostgresServer;
  let pool: Pool;
  let table: string;
  beforeAll(async () => {
    server = await startPostgres();
    pool = poolOf(server.endpoint, { max: 16 });
    table = await createPostgresTable(pool);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  it(`gives each of 50 keys to one of ${WORKERS} workers at a time, which ask in random orders, without a deadlock`, async () => {
    const keys = Array.from({ length: 50 }, (_, index) => `contended-${index}`);
    const holders = new Map<string, string>();
    const store = inPostgres({ pool, table });
    const errors = await Promise.all(Array.from({ length: WORKERS }, () => worker(store, keys, holders)));
    expect(errors.flat()).toEqual([]);
    const { rows } = await pool.query('SELECT sum(deadlocks)::int AS deadlocks FROM pg_stat_database');
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });

  it.each([10, 100, 5_000])(
    'takes a batch of %i records with 2 statements, and its duplicates with 1',
    async (size) => {
      const counting = countingPool(pool);
      const run = createBatchProcessor(() => undefined, {
        store: inPostgres({ pool: counting, table }),
        concurrency: 100,
      });
      const event = sqsEvent(Array.from({ length: size }, () => ({ body: '{}' })));
      expect(await run(event, lambdaContext({ remainingTimeMs: 60_000 }))).toEqual({ batchItemFailures: [] });
      expect(counting.statements).toHaveLength(2);
      const Records = event.Records.map((record) => ({
        ...record,
        attributes: { ...record.attributes, ApproximateReceiveCount: '2' },
      }));
      expect(await run({ Records }, lambdaContext({ remainingTimeMs: 60_000 }))).toEqual({
        batchItemFailures: [],
      });
      expect(counting.statements).toHaveLength(3);
      // Copies that the sender has sent do not say that they are: they are inserted first.
      expect(await run(event, lambdaContext({ remainingTimeMs: 60_000 }))).toEqual({ batchItemFailures: [] });
      expect(counting.statements).toHaveLength(5);
    },
  );

  it('claims and completes groups that overlap in opposite orders, without a deadlock', async () => {
    const counting = countingPool(pool);
    const store = inPostgres({ pool: counting, table });
    const settled: unknown[] = [];
    for (let round = 0; round < 10; round += 1) {
      const keys = Array.from({ length: 1_000 }, (_, index) => `overlap-${round}-${index}`);
      // The owner is the same, so that both complete each claim: who is second waits for its row.
      const group = { owner: `owner-${round}`, leaseMs: 60_000, retentionMs: 60_000 };
      const both = [keys, keys.toReversed()].map((ordered) => ordered.map((key) => ({ key, ...group })));
      const outcomes = await Promise.all(both.map((asked) => store.acquire(asked)));
      expect(outcomes.flat().filter(({ status }) => status !== 'acquired')).toEqual([]);
      const completing = both.map((asked) => store.settle(asked.map((one) => ({ ...one, end: 'complete' }))));
      settled.push(...(await Promise.all(completing)).flat());
    }
    expect(settled).toEqual(Array(20_000).fill('stored'));
    // One of a deadlock's statements is sent again: a group is inserted, what it did not insert is asked for, and so on.
    expect(counting.statements.length).toBeLessThanOrEqual(10 * 2 * 4);
    const { rows } = await pool.query('SELECT sum(deadlocks)::int AS deadlocks FROM pg_stat_database');
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });

  it('lists and counts on where a page has gone through many rows and found few claims', async () => {
    const own = await createPostgresTable(pool);
    const store = inPostgres({ pool, table: own });
    const request = (key: string, retentionMs: number) =>
      ({ key, owner: 'me', leaseMs: 1, retentionMs }) as const;
    await store.acquire(Array.from({ length: 4_500 }, (_, index) => request(`a-${index}`, 1)));
    await store.acquire(Array.from({ length: 30 }, (_, index) => request(`b-${index}`, 3_600_000)));
    const { list, count } = store;
    for (const query of [{ state: 'overdue' as const }, {}]) {
      const found: string[] = [];
      const sizes: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ ...query, limit: 20, ...(cursor !== undefined && { cursor }) });
        found.push(...page.claims.map(({ key }) => key));
        sizes.push(page.claims.length);
        cursor = page.next;
      } while (cursor !== undefined);
      expect(new Set(found).size).toBe(30);
      expect(found).toHaveLength(30);
      expect(sizes).toEqual([0, 0, 20, 10]);
    }
    expect(await count({ state: 'overdue' })).toMatchObject({ count: 30, readBy: 'index', rowsRead: 4_530 });
  });

  it('deletes what is past its retention in steps, while others use the table', async () => {
    const store = inPostgres({ pool, table });
    const request = (key: string, retentionMs: number) =>
      ({ key, owner: 'me', leaseMs: 1, retentionMs }) as const;
    await store.acquire(Array.from({ length: 2_500 }, (_, index) => request(`old-${index}`, 1)));
    await store.acquire(Array.from({ length: 10 }, (_, index) => request(`new-${index}`, 3_600_000)));
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SELECT 1 FROM ${table} WHERE key = 'old-7' FOR UPDATE`);
      expect(await deleteForgottenClaims({ pool, table, limit: 1_200 })).toBe(1_200);
      expect(await deleteForgottenClaims({ pool, table })).toBe(1_299);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    expect(await deleteForgottenClaims({ pool, table })).toBe(1);
    const { rows } = await pool.query(`SELECT count(*)::int AS left FROM ${table} WHERE key LIKE 'new-%'`);
    expect(rows).toEqual([{ left: 10 }]);
  });
});

/** Claims, holds and settles at random; what another holds meanwhile is an error. */
async function worker(
  store: ClaimStore,
  keys: readonly string[],
  holders: Map<string, string>,
): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const asked = shuffled(keys).slice(0, 1 + Math.floor(Math.random() * keys.length));
    const owner = randomUUID();
    const outcomes = await store.acquire(
      asked.map((key) => ({ key, owner, leaseMs: 60_000, retentionMs: 60_000 })),
    );
    const mine = asked.filter((key, index) => {
      const outcome = outcomes[index];
      if (outcome?.status === 'error') errors.push(outcome.error);
      if (outcome?.status !== 'acquired') return false;
      if (holders.has(key)) errors.push(`${key} has two owners`);
      holders.set(key, owner);
      return true;
    });
    const extended = await store.extend(
      shuffled(mine).map((key) => ({ key, owner, leaseMs: 70_000, retentionMs: 60_000 })),
    );
    errors.push(...extended.filter((outcome) => outcome !== 'stored'));
    for (const key of mine) holders.delete(key);
    const settled = await store.settle(
      shuffled(mine).map((key): Settlement => ({
        key,
        owner,
        end: 'release',
        releases: 0,
        retentionMs: 60_000,
      })),
    );
    errors.push(...settled.filter((outcome) => outcome !== 'stored'));
  }
  return errors;
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
