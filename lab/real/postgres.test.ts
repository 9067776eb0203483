import { itself } from '../../test/support/store-and-admin.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeClaimStore } from 'batchlatch/testing';
import type { Pool } from 'pg';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { completeText } from '../../src/stores/postgres/complete-text.ts';
import { changeText, completeAllText, DATABASE_TIME } from '../../src/stores/postgres/statements.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { pgbouncer, startPgBouncer } from '../../test/support/components/pgbouncer.ts';
import { postgres, startPostgres } from '../../test/support/components/postgres.ts';
import { alike, assertSameAsTheStateMachine, casesFrom } from '../../test/support/postgres-differences.ts';
import {
  createPostgresTable,
  poolOf,
  rowsOfPostgres,
  storeByClock,
} from '../../test/support/postgres-table.ts';

for (const way of ['directly', 'through PgBouncer in transaction mode'] as const) {
  const isBehind = way !== 'directly';
  describeWith(isBehind ? [postgres, pgbouncer] : [postgres], `claims in PostgreSQL, ${way},`, () => {
    const services: LocalService[] = [];
    let pool: Pool;
    let table: string;
    beforeAll(async () => {
      const server = await startPostgres();
      services.push(server);
      // Fewer connections than the pool has: a session is another's from one statement to the next.
      if (isBehind) services.unshift(await startPgBouncer({ upstream: server.endpoint, poolSize: 3 }));
      pool = poolOf((services[0] as LocalService).endpoint);
      table = await createPostgresTable(pool);
    }, INSTALL_TIMEOUT_MS);
    afterAll(async () => {
      await pool.end();
      for (const service of services) await service.stop();
    });

    describeClaimStore(
      {
        name: `postgresStore, ${way},`,
        admin: itself,
        create: (clock) => storeByClock(pool, table, clock),
        rows: rowsOfPostgres(() => ({ pool, name: table })),
      },
      { describe, it },
    );

    it('finds claims by their keys, also where few were open when the table was last analyzed', async () => {
      const own = await createPostgresTable(pool);
      await pool.query(
        `INSERT INTO ${own} (key, status, owner, attempt, lease_until, created_at, updated_at)
         SELECT md5(n::text), 'COMPLETED', 'o', 1, now(), now(), now() FROM generate_series(1, 20000) AS n`,
      );
      await pool.query(`ANALYZE ${own}`);
      const nothing = Array.from({ length: 10 }, () => [null]);
      const statements: [string, unknown[]][] = [
        [changeText(own, DATABASE_TIME), [['k'], ['o'], ...nothing]],
        [completeAllText(own, DATABASE_TIME), [['k'], ['o'], [null], 1]],
        [completeText(own, DATABASE_TIME), ['[{"key":"k","owner":"o","status":"COMPLETED"}]', '1']],
      ];
      for (const [text, values] of statements) {
        const { rows } = await pool.query(`EXPLAIN ${text}`, values);
        const plan = rows.map((row: Record<string, string>) => row['QUERY PLAN']).join('\n');
        expect(plan).toContain(`${own}_pkey`);
        expect(plan).not.toContain(`${own}_open`);
        expect(plan).not.toContain('Seq Scan');
      }
    });

    it('takes over as the state machine says, over 10,000 rows and requests at random', async () => {
      for (let seed = 1; seed <= 10; seed += 1) {
        const cases = casesFrom(seed, 1_000);
        await assertSameAsTheStateMachine(seed % 2 === 0 ? cases : alike(cases), pool, pool, table);
      }
    });
  });
}
