import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { postgresAdmin, postgresStore } from 'batchlatch/postgres';
import type { Pool } from 'pg';
import { startPostgresEmulator } from '../../../lab/local/emulators/postgres-emulator.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { createPostgresTable, poolOf } from '../../support/postgres-table.ts';

let service: LocalService;
let pool: Pool;

beforeAll(async () => {
  service = await startPostgresEmulator();
  pool = poolOf(service.endpoint);
});

afterAll(async () => {
  await pool.end();
  await service.stop();
});

test.each([
  ['infinity', 'in-progress'],
  ['-infinity', 'overdue'],
] as const)('lists on after a page that ends with a lease until %s', async (lease, state) => {
  const table = await createPostgresTable(pool);
  const keys = ['a', 'b', 'c', 'd', 'e'];
  const claim = { owner: 'o', leaseMs: 60_000, retentionMs: 600_000 };
  await postgresStore({ pool, table }).acquire(keys.map((key) => ({ ...claim, key })));
  await pool.query(`UPDATE ${table} SET lease_until = '${lease}'`);
  const admin = postgresAdmin({ pool, table });
  const listed: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await admin.list({ state, limit: 2, ...(cursor !== undefined && { cursor }) });
    listed.push(...page.claims.map(({ key }) => key));
    cursor = page.next;
  } while (cursor !== undefined);
  expect(listed).toEqual(keys);
});
