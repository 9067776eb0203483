import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Pool } from 'pg';
import type { ClaimRequest, Settlement } from '../../src/claims/claim-store.ts';
import { claimsTableSql, type PostgresPool, postgresStore } from '../../src/stores/postgres/index.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';

describeWith([postgres], 'the plan of a statement', () => {
  let server: PostgresServer;
  let pool: Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new Pool({ connectionString: server.endpoint });
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  // The index of open claims still has every claim that was one until it is vacuumed: thousands of entries for each batch.
  it.each([10, 100, 1_000])(
    'finds %i claims by their keys, where statistics say that none is open',
    async (size) => {
      const table = `claims_${size}`;
      await pool.query(claimsTableSql({ table }));
      const plans: string[] = [];
      const store = postgresStore({ pool: explaining(pool, plans), table });
      for (let batch = 0; batch < 3; batch += 1) {
        const requests = requestsOf(1_000);
        await store.acquire(requests);
        await store.settle(requests.map((request) => completionOf(request)));
      }
      await pool.query(`ANALYZE ${table}`);

      const requests = requestsOf(size);
      await store.acquire(requests);
      plans.length = 0;
      await store.settle(requests.map((request) => completionOf(request)));
      const duplicates = await store.acquire(
        requests.map((request) => ({ ...request, owner: randomUUID() })),
      );
      expect(duplicates.map(({ status }) => status)).toEqual(requests.map(() => 'duplicate'));
      const [settling, inserting, reading] = plans;
      expect(plans).toHaveLength(3);
      expect(settling).toContain(`Update on ${table}`);
      expect(inserting).toContain(`Insert on ${table}`);
      for (const plan of [settling, reading]) {
        expect(plan).not.toContain(`${table}_open`);
        // Rows for rows: in a loop over what is not found by an index, a batch would take the square of its size.
        expect(plan).not.toMatch(/Rows Removed by Join Filter: [1-9]/);
      }
    },
  );
});

/** Keeps the plan of every statement as it is carried out. */
function explaining(pool: Pool, plans: string[]): PostgresPool {
  return {
    connect: async () => {
      const client = await pool.connect();
      return {
        async query(statement) {
          const { text, values } = statement;
          await client.query('BEGIN');
          const { rows } = await client.query<{ 'QUERY PLAN': string }>({
            text: `EXPLAIN ANALYZE ${text}`,
            values,
          });
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
          await client.query('ROLLBACK');
          return client.query<Record<string, unknown>>(statement);
        },
        release: (isBroken) => client.release(isBroken),
      };
    },
  };
}

function requestsOf(count: number): ClaimRequest[] {
  return Array.from({ length: count }, () => ({
    key: randomUUID(),
    owner: randomUUID(),
    leaseMs: 30_000,
    retentionMs: 60_000,
  }));
}

function completionOf({ key, owner }: ClaimRequest): Settlement {
  return { end: 'complete', key, owner, retentionMs: 60_000 };
}
