import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { ConfigurationError } from '../../../src/base/errors.ts';
import { toStoreError } from '../../../src/stores/postgres/failures.ts';
import type { PostgresClient, PostgresPool, SqlStatement } from '../../../src/stores/postgres/pool.ts';
import { postgresStore } from '../../../src/stores/postgres/postgres-store.ts';
import { advanceUntil } from '../../support/advance-until.ts';
import { storeByClock } from '../../support/postgres-table.ts';

/** As `pg` reports them. */
function databaseError(code: string, message = 'the message', severity = 'ERROR'): Error {
  const where = 'secret-key';
  const detail = `Key (key)=(${where}) already exists.`;
  return Object.assign(new Error(message), { code, severity, detail, where, hint: where });
}

const on = { tableName: 'claims', privileges: ['SELECT', 'UPDATE'] } as const;

describe('An error of PostgreSQL', () => {
  it.each([
    ['42P01', 'BATCHLATCH_TABLE_NOT_FOUND', 'npx batchlatch table create --postgres'],
    ['42501', 'BATCHLATCH_ACCESS_DENIED', 'GRANT SELECT, UPDATE ON claims'],
    ['28P01', 'BATCHLATCH_CREDENTIALS', 'did not let the role in'],
    ['3D000', 'BATCHLATCH_CREDENTIALS', 'did not let the role in'],
    ['42703', 'BATCHLATCH_STORE', 'is not as claimsTableSql() makes it'],
    ['22021', 'BATCHLATCH_STORE', 'PostgreSQL: 22021'],
  ])('%s is %s for good, and says what to do', (state, code, words) => {
    const error = toStoreError(databaseError(state), on);
    expect(error).toMatchObject({ code, isRetryable: false });
    expect(error.message).toContain(words);
  });

  it.each([
    '08006',
    '40001',
    '40P01',
    '53300',
    '57P01',
    '57P03',
    '55P03',
    '57014',
    '25006',
    '25P03',
    '25P04',
  ])('%s may pass', (state) => expect(toStoreError(databaseError(state), on).isRetryable).toBe(true));

  it.each([
    Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
    Object.assign(new Error('connect EMFILE 127.0.0.1:5432'), { code: 'EMFILE' }),
    Object.assign(new Error('connect EADDRNOTAVAIL 127.0.0.1:5432'), { code: 'EADDRNOTAVAIL' }),
    new Error('Connection terminated unexpectedly'),
    new Error('timeout exceeded when trying to connect'),
    new Error('Query read timeout'),
  ])('of the network may pass: %s', (error) => expect(toStoreError(error, on).isRetryable).toBe(true));

  it('tells nothing of what was stored, nor a password', () => {
    for (const thrown of [
      databaseError('23505', 'duplicate key value "secret-key"'),
      databaseError('22P02', 'invalid input syntax for type json: "secret-key"'),
      databaseError('42P01', 'relation "claims" does not exist'),
      new Error('cannot reach postgres://me:secret-key@host/db'),
      Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: 'secret-key' }),
    ]) {
      const error = toStoreError(thrown, on);
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret-key');
    }
  });
});

interface Fake extends PostgresPool {
  readonly sent: SqlStatement[];
  /** How each connection came back: `true` where it was closed. */
  readonly released: (boolean | undefined)[];
}

/** A pool whose statements end as they are told, one after the other; after the last, with no rows. */
function fakePool(...ends: (Error | 'silence')[]): Fake {
  const sent: SqlStatement[] = [];
  const released: (boolean | undefined)[] = [];
  const client: PostgresClient = {
    async query(statement) {
      const end = ends[sent.length];
      sent.push(statement);
      if (end === 'silence') await new Promise(() => undefined);
      if (end instanceof Error) throw end;
      return { rows: [] };
    },
    release: (isBroken) => void released.push(isBroken),
  };
  return { sent, released, connect: async () => client };
}

const settlement = { key: 'a', owner: 'me', end: 'complete', retentionMs: 1_000 } as const;

describe('A statement', () => {
  it('is sent again, on another connection, where that may help', async () => {
    const pool = fakePool(new Error('Connection terminated unexpectedly'), databaseError('40P01'));
    const clock = manualClock();
    const outcomes = storeByClock(pool, 'claims', clock).settle([settlement]);
    expect(await advanceUntil(clock, outcomes)).toEqual(['lost']);
    expect(pool.sent).toHaveLength(4); // three to write, and one to see what the row is
    expect(pool.released).toEqual([true, false, false, false]);
  });

  it('is sent six times at most, and once where it cannot help', async () => {
    const many = fakePool(...Array.from({ length: 9 }, () => databaseError('57P03', 'starting up', 'FATAL')));
    const clock = manualClock();
    const outcomes = storeByClock(many, 'claims', clock).settle([settlement]);
    expect(await advanceUntil(clock, outcomes)).toMatchObject([{ error: { isRetryable: true } }]);
    expect(many.sent).toHaveLength(6);
    const once = fakePool(databaseError('42501'));
    expect(await storeByClock(once, 'claims', clock).settle([settlement])).toMatchObject([
      { error: { code: 'BATCHLATCH_ACCESS_DENIED' } },
    ]);
    expect(once.sent).toHaveLength(1);
  });

  it('is not sent again once its signal is aborted', async () => {
    const pool = fakePool(databaseError('57P03'), databaseError('57P03'));
    const outcomes = await storeByClock(pool, 'claims', manualClock()).settle([settlement], {
      signal: AbortSignal.abort(),
    });
    expect(outcomes).toMatchObject([{ error: { isRetryable: true } }]);
    expect(pool.sent.length).toBeLessThanOrEqual(1);
  });

  it('that nobody answers gives its connection back, closed, after ten seconds', async () => {
    const pool = fakePool('silence');
    const clock = manualClock();
    const outcomes = storeByClock(pool, 'claims', clock).settle([settlement]);
    await clock.advance(9_999);
    expect(pool.released).toEqual([]);
    await clock.advance(1);
    expect(await outcomes).toEqual(['lost']);
    expect(pool.released).toEqual([true, false, false]);
  });

  it('that fails for what one item holds fails for that one alone', async () => {
    const failing: PostgresPool = {
      connect: async () => ({
        async query({ values }) {
          const keys = keysIn(values[0]);
          if (keys.includes('bad')) throw databaseError('22021');
          return { rows: [], rowCount: keys.length };
        },
        release: () => undefined,
      }),
    };
    const store = storeByClock(failing, 'claims', manualClock());
    const keys = ['a', 'b', 'bad', 'c', 'd'];
    const outcomes = await store.settle(keys.map((key) => ({ ...settlement, key })));
    expect(outcomes).toEqual(['stored', 'stored', { error: expect.any(Error) }, 'stored', 'stored']);
  });

  it('carries results of 16 MB, and leaves the rest to others', async () => {
    const pool = fakePool();
    const result = JSON.stringify('x'.repeat(1_000_000));
    const settlements = Array.from({ length: 20 }, (_, index) => ({
      ...settlement,
      key: `${index}`,
      result,
    }));
    await storeByClock(pool, 'claims', manualClock()).settle(settlements);
    const sizes = pool.sent.map(({ values }) => keysIn(values[0]).length);
    expect(sizes).toEqual([10, 10, 20]); // two that write, and one that reads what is not written
  });

  it('has no name, and lets nobody else make something of its values', async () => {
    const pool = fakePool();
    await storeByClock(pool, 'claims', manualClock()).settle([settlement]);
    for (const statement of pool.sent)
      expect(Object.keys(statement).toSorted()).toEqual(['text', 'types', 'values']);
  });
});

describe('postgresStore', () => {
  it.each([
    [{}, 'Expected `pool` to be a `Pool` of `pg`, or an object with the same connect(), got `undefined`'],
    [{ pool: 'postgres://u:s3cret@h/d' }, 'same connect(), got a string'],
    [{ pool: { password: 's3cret' } }, 'same connect(), got another object'],
    [{ pool: fakePool(), table: 'a.b.c' }, 'Expected `table` to be the name of a table'],
    [{ pool: fakePool(), table: '' }, 'Expected `table` to be the name of a table'],
    [{ pool: fakePool(), tabel: 'a' }, 'Unknown option `tabel`'],
  ])('refuses %p at start', (options, words) => {
    expect(() => postgresStore(options as never)).toThrow(ConfigurationError);
    expect(() => postgresStore(options as never)).toThrow(words);
  });

  it('is at the same place as another over the same pool and table, and at no other', () => {
    const pool = fakePool();
    const { place } = postgresStore({ pool });
    expect(postgresStore({ pool }).place).toBe(place);
    expect(postgresStore({ pool, table: 'other' }).place).not.toBe(place);
    expect(postgresStore({ pool: fakePool() }).place).not.toBe(place);
  });
});

/** Of an array, or of the text of one. */
function keysIn(column: unknown): string[] {
  return typeof column === 'string'
    ? (JSON.parse(`[${column.slice(1, -1)}]`) as string[])
    : (column as string[]);
}
