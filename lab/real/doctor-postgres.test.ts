import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimsTableSql, type PostgresPool } from 'batchlatch/postgres';
import type { Pool } from 'pg';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startPostgresEmulator } from '../local/emulators/postgres-emulator.ts';
import { doctorPostgres } from '../../packages/cli/src/doctor/index.ts';
import { poolOf } from '../../test/support/postgres-table.ts';

let service: LocalService;
let pool: Pool;
beforeAll(async () => {
  service = await startPostgresEmulator();
  pool = poolOf(service.endpoint, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await service.stop();
});

/** What a table is said to have, beside what is so of the server. */
async function codesOf(table: string, of: PostgresPool = pool): Promise<string[]> {
  const { findings } = await doctorPostgres({ pool: of, table });
  return findings
    .map(({ code }) => code)
    .filter((code) => !['postgres-pooler', 'postgres-not-durable'].includes(code));
}

describe('doctor, of PostgreSQL', () => {
  it('finds nothing wrong with a table that claimsTableSql() makes', async () => {
    await pool.query('CREATE SCHEMA shop');
    await pool.query(claimsTableSql({ table: 'shop.fine' }));
    expect(await codesOf('shop.fine')).toEqual([]);
    const { checked } = await doctorPostgres({ pool, table: 'shop.fine' });
    expect(checked).toEqual([expect.stringMatching(/^PostgreSQL \d+$/), 'table shop.fine']);
  });

  it.each<[string, string, string]>([
    ['missing', '', 'postgres-table-missing'],
    ['typed', 'ALTER TABLE typed ALTER COLUMN attempt TYPE text', 'postgres-table-columns'],
    ['columns', 'ALTER TABLE columns DROP COLUMN record_id', 'postgres-table-columns'],
    ['required', 'ALTER TABLE required ADD COLUMN tenant text NOT NULL', 'postgres-table-columns'],
    ['unkeyed', 'ALTER TABLE unkeyed DROP CONSTRAINT unkeyed_pkey', 'postgres-table-columns'],
    [
      'collated',
      'ALTER TABLE collated ALTER COLUMN key TYPE text COLLATE "default"',
      'postgres-table-columns',
    ],
    ['slow', 'DROP INDEX slow_expires', 'postgres-index-missing'],
    ['unlogged', 'ALTER TABLE unlogged SET UNLOGGED', 'postgres-table-unlogged'],
    [
      'old',
      `INSERT INTO old (key, status, owner, attempt, lease_until, expires_at, created_at, updated_at)
       SELECT 'k' || n, 'COMPLETED', 'o', 1, now(), now() - interval '2 days', now(), now() FROM generate_series(1, 10001) AS n`,
      'postgres-not-cleaned',
    ],
  ])('finds a table that is %s', async (table, change, code) => {
    if (change !== '') await pool.query(claimsTableSql({ table }));
    if (change !== '') await pool.query(change);
    expect(await codesOf(table)).toEqual([code]);
  });

  it('finds what the role lacks', async () => {
    await pool.query(`${claimsTableSql({ table: 'guarded' })}; CREATE ROLE clerk`);
    await pool.query('GRANT SELECT, INSERT ON guarded TO clerk');
    await pool.query('SET ROLE clerk');
    try {
      const { findings } = await doctorPostgres({ pool, table: 'guarded' });
      expect(findings.find(({ code }) => code === 'postgres-grant-missing')).toMatchObject({
        severity: 'error',
        message: 'The role clerk lacks on table guarded: UPDATE.',
        fix: 'GRANT UPDATE ON "guarded" TO "clerk";',
      });
      await pool.query('RESET ROLE');
      await pool.query('GRANT UPDATE ON guarded TO clerk; ALTER TABLE guarded ENABLE ROW LEVEL SECURITY');
      await pool.query('SET ROLE clerk');
      const { findings: rest } = await doctorPostgres({ pool, table: 'guarded' });
      const mild = rest.find(({ code }) => code === 'postgres-grant-missing');
      expect(mild).toMatchObject({ severity: 'info', fix: 'GRANT DELETE ON "guarded" TO "clerk";' });
      expect(rest.map(({ code }) => code)).toContain('postgres-row-security');
    } finally {
      await pool.query('RESET ROLE');
    }
  });

  it('finds a server that is read-only, not durable, old, or whose clock differs', async () => {
    await pool.query('SET synchronous_commit = off');
    const later = Date.now() + 60_000;
    const { findings } = await doctorPostgres({ pool, table: 'shop.fine', now: () => later });
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'postgres-not-durable' }),
        expect.objectContaining({
          code: 'postgres-clock-differs',
          message: expect.stringMatching(/^The server's clock is 60 s behind/),
        }),
      ]),
    );
    await pool.query('SET default_transaction_read_only = on');
    expect(await codesOf('shop.fine')).toEqual(['postgres-read-only']);
    await pool.query('RESET default_transaction_read_only');
    const old = answering(/server_version_num/, { version: 120_008, read_only: false, now: Date.now() });
    expect(await codesOf('shop.fine', old)).toEqual(['postgres-old']);
  });

  it('tells a pooler that allows no transactions', async () => {
    const refusing = answering(/^BEGIN$/, new Error('Transactions not allowed in statement pooling mode'));
    expect(await codesOf('shop.fine', refusing)).toEqual(['postgres-statement-pooler']);
  });
});

/** The pool, but for one statement. */
function answering(text: RegExp, answer: object): PostgresPool {
  return {
    async connect() {
      const client = await pool.connect();
      return {
        release: (isBroken) => client.release(isBroken),
        async query(statement) {
          if (!text.test(statement.text)) return client.query(statement);
          if (answer instanceof Error) throw answer;
          return { rows: [answer as Record<string, unknown>] };
        },
      };
    },
  };
}
