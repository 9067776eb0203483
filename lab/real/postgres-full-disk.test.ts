import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ClaimStore } from 'batchlatch';
import { postgresStore } from 'batchlatch/postgres';
import type { Pool } from 'pg';
import type { ClaimRequest } from '../../src/claims/claim-store.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { smallDisk } from '../../test/support/components/small-disk.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { startSteadyWork, type SteadyWork } from './support/steady-work.ts';
import { until } from './support/until.ts';

const DISK_FULL = '53100';

describeWith([postgres, smallDisk], 'PostgreSQL whose disk is full', () => {
  let server: PostgresServer;
  let pool: Pool;
  let table: string;
  let store: ClaimStore;
  let work: SteadyWork;

  beforeAll(async () => {
    server = await startPostgres({ smallDiskMb: 24 });
    pool = poolOf(server.endpoint);
    await pool.query(`CREATE TABLESPACE small LOCATION '${server.smallDisk}'`);
    table = await createPostgresTable(pool);
    await pool.query(`ALTER TABLE ${table} SET TABLESPACE small`);
    const { rows } = await pool.query('SELECT indexname AS name FROM pg_indexes WHERE tablename = $1', [
      table,
    ]);
    for (const { name } of rows as { name: string }[]) {
      await pool.query(`ALTER INDEX ${name} SET TABLESPACE small`);
    }
    await pool.query('CREATE TABLE others (content text) TABLESPACE small');
    store = postgresStore({ pool, table });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await work.stop();
    await pool.end();
    await server.stop();
  });

  it('acknowledges nothing that it cannot store, and goes on by itself when there is room again', async () => {
    work = startSteadyWork({ store, direct: store, invocationMs: 3_000, effect: async () => undefined });
    await until('there is work', () => work.runs.length > 50);
    const held = Array.from({ length: 3_000 }, () => requestOf());
    await store.acquire(held);
    await fillDisk();

    const refused = await store.acquire(Array.from({ length: 3_000 }, () => requestOf()));
    expect(refused[0]).toMatchObject({
      status: 'error',
      error: { code: 'BATCHLATCH_STORE', isRetryable: true, cause: { code: DISK_FULL } },
    });
    const ends = await store.settle(held.map((own) => ({ ...own, end: 'complete' })));
    expect(ends[0]).toMatchObject({ error: { isRetryable: true, cause: { code: DISK_FULL } } });
    const since = work.deliveries.length;
    await until('batches are handed back', () =>
      work.deliveries.slice(since).some(({ records, failed }) => failed === records),
    );

    await pool.query('DROP TABLE others');
    expect(await store.settle(held.map((own) => ({ ...own, end: 'complete' })))).toEqual(
      held.map(() => 'stored'),
    );
    await work.finish();
    expect(work.acknowledged.toSorted()).toEqual(work.ids.toSorted());
    expect(work.acknowledgedUnstored).toEqual([]);
  });

  /** With rows of another table, until there is no room even for a small one. */
  async function fillDisk(): Promise<void> {
    for (const bytes of [1_000_000, 100_000, 4_000, 4_000, 4_000]) {
      const content = `string_agg(md5(random()::text), '') FROM generate_series(1, ${Math.ceil(bytes / 32)})`;
      let isFull = false;
      while (!isFull) {
        await pool.query(`INSERT INTO others SELECT ${content}`).catch((error: { code?: string }) => {
          if (error.code !== DISK_FULL) throw error;
          isFull = true;
        });
      }
    }
  }
});

function requestOf(): ClaimRequest {
  return { key: randomUUID(), owner: randomUUID(), leaseMs: 60_000, retentionMs: 600_000 };
}
