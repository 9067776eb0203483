import { itself } from '../../test/support/store-and-admin.ts';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { Clock } from 'batchlatch';
import { describeClaimStore } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { timeOf } from '../../src/stores/postgres/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { postgresCounters } from '../../test/support/postgres-counters.ts';
import { createPostgresTable, poolOf, storeByClock } from '../../test/support/postgres-table.ts';

describeWith([postgres], 'the effects of inTransaction', () => {
  let server: PostgresServer;
  let pool: Pool;
  let table: string;
  let clock: Clock;
  beforeAll(async () => {
    server = await startPostgres();
    pool = poolOf(server.endpoint, { max: 20 });
    table = await createPostgresTable(pool);
    await pool.query('CREATE TABLE counters (name text PRIMARY KEY, n integer NOT NULL)');
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  describeClaimStore(
    {
      name: 'postgresStore with inTransaction',
      admin: itself,
      create(given) {
        clock = given;
        return storeByClock(pool, table, given);
      },
      commit: postgresCounters(
        () => pool,
        () => table,
        () => timeOf(clock),
      ),
    },
    { describe, it },
  );
});
