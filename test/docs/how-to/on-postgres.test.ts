import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { BatchProcessor } from 'batchlatch';
import { claimsTableSql } from 'batchlatch/postgres';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { startPostgresEmulator } from '../../../lab/local/emulators/postgres-emulator.ts';
import type { LocalService } from '../../../packages/cli/src/dev/emulators/local-service.ts';
import { pageFiles } from '../page-files.ts';

const page = pageFiles('docs/how-to/postgres-exactly-once.md');
let postgres: LocalService;
let pool: Pool;
let handler: BatchProcessor;

beforeAll(async () => {
  postgres = await startPostgresEmulator();
  process.env['DATABASE_URL'] = postgres.endpoint;
  ({ pool, handler } = await page.load<{ pool: Pool; handler: BatchProcessor }>('book-transfers.ts'));
  await pool.query(claimsTableSql());
  await pool.query('CREATE TABLE accounts (account text PRIMARY KEY, cents bigint NOT NULL)');
  await pool.query("INSERT INTO accounts VALUES ('a', 1000)");
});
afterAll(async () => {
  Reflect.deleteProperty(process.env, 'DATABASE_URL');
  await pool?.end();
  await postgres?.stop();
});

it('docs/how-to/postgres-exactly-once.md: a transfer is booked as a whole, and once', async () => {
  const balance = async (): Promise<unknown> => (await pool.query('SELECT cents FROM accounts')).rows[0];
  const event = sqsEvent([{ messageId: 'm-1', body: { transferId: 't-1', account: 'a', cents: 70 } }]);

  // The second statement fails: there is no table of bookings yet.
  expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
  expect(await balance()).toEqual({ cents: '1000' });

  await pool.query('CREATE TABLE bookings (transfer text, cents bigint)');
  for (let delivery = 1; delivery <= 2; delivery += 1) {
    expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [] });
    expect(await balance()).toEqual({ cents: '1070' });
  }
  expect((await pool.query('SELECT * FROM bookings')).rowCount).toBe(1);
});
