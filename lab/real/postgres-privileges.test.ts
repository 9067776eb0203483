import { inPostgres, itself } from '../../test/support/store-and-admin.ts';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { deleteForgottenClaims } from 'batchlatch/postgres';
import { describeClaimStore } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { createPostgresTable, poolOf, storeByClock } from '../../test/support/postgres-table.ts';

const request = { key: 'a', owner: 'me', leaseMs: 60_000, retentionMs: 60_000 } as const;
const settlement = { ...request, end: 'complete' } as const;

describeWith([postgres], 'roles of PostgreSQL', () => {
  let server: PostgresServer;
  let owner: Pool;
  let worker: Pool;
  let operator: Pool;
  let table: string;
  beforeAll(async () => {
    server = await startPostgres();
    owner = poolOf(server.endpoint);
    table = await createPostgresTable(owner);
    await owner.query(`
      CREATE ROLE worker LOGIN; CREATE ROLE operator LOGIN; CREATE ROLE nobody LOGIN;
      GRANT SELECT, INSERT, UPDATE ON ${table} TO worker;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO operator`);
    worker = poolOf(as('worker'));
    operator = poolOf(as('operator'));
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const pool of [owner, worker, operator]) await pool.end();
    await server.stop();
  });

  function as(role: string): string {
    return server.endpoint.replace('postgres@', `${role}@`);
  }

  // The contract has people forget claims, too.
  describeClaimStore(
    {
      name: 'postgresStore as an operator',
      admin: itself,
      create: (clock) => storeByClock(operator, table, clock),
    },
    { describe, it },
  );

  it('let a function do all that attempts need with SELECT, INSERT and UPDATE', async () => {
    const store = inPostgres({ pool: worker, table });
    expect(await store.acquire([request])).toMatchObject([{ status: 'acquired' }]);
    expect(await store.start?.([request])).toEqual(['stored']);
    expect(await store.extend([request])).toEqual(['stored']);
    expect(await store.settle([settlement])).toEqual(['stored']);
    expect(await store.inspect('a')).toMatchObject({ status: 'COMPLETED' });
    await expect(deleteForgottenClaims({ pool: worker, table })).rejects.toMatchObject({
      code: 'BATCHLATCH_ACCESS_DENIED',
      message: expect.stringContaining(`GRANT SELECT, UPDATE, DELETE ON ${table}`),
    });
    const claim = (await store.inspect('a')) as NonNullable<Awaited<ReturnType<typeof store.inspect>>>;
    const [forgotten] = await store.change([
      { ...request, operation: 'forget', seen: claim, owner: 'o', operator: 'me', reason: 'test' },
    ]);
    expect(forgotten).toMatchObject({ status: 'error', error: { code: 'BATCHLATCH_ACCESS_DENIED' } });
  });

  it.each(['SELECT', 'INSERT', 'UPDATE'])('are told of a missing %s', async (privilege) => {
    const store = inPostgres({ pool: worker, table });
    await owner.query(`REVOKE ${privilege} ON ${table} FROM worker`);
    try {
      // One key, and a group: no handler may run whose end could not be stored.
      for (const keys of [[privilege], [`${privilege}-1`, `${privilege}-2`]]) {
        const outcomes = await store.acquire(keys.map((key) => ({ ...request, key })));
        for (const outcome of outcomes) {
          expect(outcome).toMatchObject({
            status: 'error',
            error: {
              code: 'BATCHLATCH_ACCESS_DENIED',
              isRetryable: false,
              message: expect.stringMatching(new RegExp(`GRANT [^.]*\\b${privilege}\\b[^.]* ON ${table}`)),
            },
          });
        }
      }
    } finally {
      await owner.query(`GRANT ${privilege} ON ${table} TO worker`);
    }
  });

  it('are told where there is no table, no database, or a server that takes no writes', async () => {
    const [absent] = await inPostgres({ pool: worker, table: 'absent' }).acquire([request]);
    expect(absent).toMatchObject({ error: { code: 'BATCHLATCH_TABLE_NOT_FOUND' } });
    const [unknown] = await inPostgres({ pool: worker, table: 'absent.claims' }).acquire([request]);
    expect(unknown).toMatchObject({ error: { code: 'BATCHLATCH_TABLE_NOT_FOUND' } });
    await owner.query('CREATE TABLE unlike (key text PRIMARY KEY, status text)');
    await owner.query('GRANT ALL ON unlike TO worker');
    const [unlike] = await inPostgres({ pool: worker, table: 'unlike' }).acquire([request]);
    expect(unlike).toMatchObject({
      error: { message: expect.stringContaining('is not as claimsTableSql() makes it') },
    });

    const elsewhere = poolOf(as('worker').replace(/postgres$/, 'elsewhere'));
    const [lost] = await inPostgres({ pool: elsewhere, table }).acquire([request]);
    expect(lost).toMatchObject({ error: { code: 'BATCHLATCH_CREDENTIALS' } });
    await elsewhere.end();

    const replica = poolOf(as('worker'), { options: '-c default_transaction_read_only=on' });
    const [readOnly] = await inPostgres({ pool: replica, table }).acquire([request]);
    expect(readOnly).toMatchObject({
      error: { isRetryable: true, message: expect.stringContaining('Connect to the writer') },
    });
    await replica.end();
  });

  it('keep what one item holds from the others', async () => {
    const store = inPostgres({ pool: worker, table });
    const hostile = [
      "'; DROP TABLE claims; --",
      '{"a":"b"}',
      '\\',
      'a\0b',
      '\ud800',
      'NULL',
      '{NULL}',
      '"',
      ',',
      '',
    ];
    const outcomes = await store.acquire([
      ...hostile.map((key) => ({ ...request, key: `${key}#hostile`, lockedBy: key, recordId: `${key}!` })),
      { ...request, key: 'x'.repeat(3_000) },
      { ...request, key: 'bad-hash', payloadHash: 'a\0' },
      { ...request, key: 'long-lease', leaseMs: Number.MAX_SAFE_INTEGER },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...hostile.map(() => 'acquired'),
      'error',
      'error',
      'acquired',
    ]);
    for (const key of hostile) {
      expect((await store.inspect(`${key}#hostile`))?.key).toBe(`${key}#hostile`);
    }
    const settled = await store.settle([
      { ...settlement, key: `${hostile[0]}#hostile`, result: '"\\u0000"' },
      { ...settlement, key: `${hostile[1]}#hostile`, result: 'a\0' },
      {
        ...request,
        key: `${hostile[2]}#hostile`,
        end: 'fail',
        error: { name: 'E\0', message: '\ud800\0' },
      },
    ]);
    expect(settled).toEqual(['stored', { error: expect.any(Error) }, 'stored']);
  });
});
