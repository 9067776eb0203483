import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { postgresStore } from 'batchlatch/postgres';
import type { Pool } from 'pg';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import type { ClaimRequest } from '../../src/claims/claim-store.ts';
import type { PostgresPool } from '../../src/stores/postgres/pool.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { pgbouncer, startPgBouncer } from '../../test/support/components/pgbouncer.ts';
import { postgres, startPostgres } from '../../test/support/components/postgres.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';

describeWith([postgres, pgbouncer], 'prepared statements in PostgreSQL', () => {
  let server: LocalService;
  let bouncer: LocalService;
  let pool: Pool;
  let bouncedPool: Pool;
  let table: string;
  let batches = 0;

  beforeAll(async () => {
    server = await startPostgres();
    // Fewer sessions than connections, and of a version that keeps no prepared statements.
    bouncer = await startPgBouncer({ upstream: server.endpoint, poolSize: 2 });
    pool = poolOf(server.endpoint, { max: 1 });
    bouncedPool = poolOf(bouncer.endpoint, { max: 8 });
    table = await createPostgresTable(pool);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await pool.end();
    await bouncedPool.end();
    await bouncer.stop();
    await server.stop();
  });

  function batch(): ClaimRequest[] {
    batches += 1;
    return Array.from({ length: 10 }, (_, index) => ({
      key: `prepared-${batches}-${index}`,
      owner: `owner-${batches}-${index}`,
      leaseMs: 60_000,
      retentionMs: 60_000,
    }));
  }

  /** Acquires and completes a batch; gives the statuses of both. */
  async function work(store: ReturnType<typeof postgresStore>): Promise<string[]> {
    const asked = batch();
    const acquired = await store.acquire(asked);
    const settled = await store.settle(
      asked.map(({ key, owner }) => ({ key, owner, end: 'complete', retentionMs: 60_000 })),
    );
    return [...acquired.map(({ status }) => status), ...settled.map(String)];
  }

  const done: string[] = [...Array(10).fill('acquired'), ...Array(10).fill('stored')];

  it('are remembered by the session where they are asked for, and not by default', async () => {
    const names = async (): Promise<unknown[]> => {
      const { rows } = await pool.query<{ name: string }>(
        "SELECT name FROM pg_prepared_statements WHERE name LIKE 'batchlatch%'",
      );
      return rows.map(({ name }) => name);
    };
    expect(await work(postgresStore({ pool, table }))).toEqual(done);
    expect(await names()).toEqual([]);
    const store = postgresStore({ pool, table, prepare: true });
    for (let turn = 0; turn < 10; turn += 1) expect(await work(store)).toEqual(done);
    expect(await names()).toHaveLength(2);
  });

  it('are sent whole after a column was given another type, and nothing fails', async () => {
    const store = postgresStore({ pool, table, prepare: true });
    const [request] = batch();
    const ask = async (): Promise<unknown> => (await store.acquire([request as ClaimRequest]))[0];
    for (let turn = 0; turn < 10; turn += 1) expect(await ask()).toMatchObject({ status: 'acquired' });
    await pool.query(`ALTER TABLE ${table} ALTER COLUMN attempt TYPE bigint`);
    expect(await ask()).toMatchObject({ status: 'acquired', attempt: 1 });
    expect(await work(store)).toEqual(done);
  });

  it('are sent whole where a pooler gives the connection the session of another, and nothing fails', async () => {
    const { pool: counted, isNamed } = counting(bouncedPool);
    const store = postgresStore({ pool: counted, table, prepare: true });
    const turns = await Promise.all(Array.from({ length: 24 }, () => work(store)));
    for (const statuses of turns) expect(statuses).toEqual(done);
    expect(isNamed).toContain(true);
    isNamed.length = 0;
    expect(await work(store)).toEqual(done);
    expect(isNamed).toEqual([false, false]);
  });
});

/** Notes for each statement whether it has a name. */
function counting(pool: Pool): { pool: PostgresPool; isNamed: boolean[] } {
  const isNamed: boolean[] = [];
  const noting: PostgresPool = {
    async connect() {
      const client = await pool.connect();
      return {
        query(statement) {
          isNamed.push(statement.name !== undefined);
          return client.query(statement);
        },
        release: (isBroken) => client.release(isBroken),
      };
    },
  };
  return { pool: noting, isNamed };
}
