import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { describeClaimStore } from 'batchlatch/testing';
import type { Pool } from 'pg';
import type { LocalService } from '../../local/emulators/local-service.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../support/components/describe-with.ts';
import { pgbouncer, startPgBouncer } from '../support/components/pgbouncer.ts';
import { postgres, startPostgres } from '../support/components/postgres.ts';
import { assertSameAsTheStateMachine, casesFrom } from '../support/postgres-differences.ts';
import { createPostgresTable, poolOf, storeByClock } from '../support/postgres-table.ts';

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
      { name: `postgresStore, ${way},`, create: (clock) => storeByClock(pool, table, clock) },
      { describe, it },
    );

    it('takes over as the state machine says, over 10,000 rows and requests at random', async () => {
      for (let seed = 1; seed <= 10; seed += 1) {
        await assertSameAsTheStateMachine(casesFrom(seed, 1_000), pool, table);
      }
    });
  });
}
