import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { poolOf } from '../../test/support/postgres-table.ts';
import { ALL_WELL, type DemoRun, runDemo } from './support/run-demo.ts';

/** What only a transaction can do, and what every store does. */
function expectOneCharge({ status, summary, stderr }: DemoRun): void {
  expect(summary).toMatchObject({ ...ALL_WELL, killedAfterChargeAndChargedOnce: 1 });
  expect(summary['takenOver']).toBeGreaterThanOrEqual(2);
  expect(stderr).toContain('kills its process before it is charged');
  expect(stderr).toContain('kills its process after it is charged, before that is committed');
  expect(status).toBe(0);
}

describe('The demo on the PostgreSQL emulator', () => {
  it('charges an order once whose process is killed after its charge', async () => {
    expectOneCharge(await runDemo('--store', 'postgres'));
  });
});

describeWith([postgres], 'The demo on PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => server.stop());

  it('charges an order once whose process is killed after its charge, and leaves no table behind', async () => {
    expectOneCharge(await runDemo('--store', 'postgres', '--postgres-url', server.endpoint));
    const pool = poolOf(server.endpoint);
    const { rows } = await pool.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
    await pool.end();
    expect(rows).toEqual([]);
  });
});
