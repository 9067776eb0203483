import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { outboxTableSql } from 'batchlatch/outbox';
import { claimsTableSql } from 'batchlatch/postgres';
import { loadPeer } from '../../packages/cli/src/cli/connect/load-peer.ts';
import { claimRequests, completion } from '../../test/support/claim-builders.ts';
import { claimsInPostgres } from '../../packages/cli/test/cli/claims-in-postgres.ts';
import { runCommand } from '../../packages/cli/test/cli/run-command.ts';

const postgres = claimsInPostgres();
const { run } = postgres;
const onTable = (): string[] => ['--postgres', '--table', postgres.table];

describe('The commands of claims, on PostgreSQL', () => {
  it('list and show them', async () => {
    await postgres.park('listed#1');
    const { status, out, err } = await run(['claims', 'list', '--prefix', 'listed#', ...onTable()]);
    expect({ status, out }).toEqual({ status: 0, out: expect.stringMatching(/listed#1 +parked/) });
    expect(err).toMatch(new RegExp(`^1 claim in table ${postgres.table}\\. Read \\d+ rows? of the table`));
    const shown = await run(['claims', 'show', 'listed#1', ...onTable(), '--json']);
    expect(JSON.parse(shown.out)).toMatchObject({ claims: [{ key: 'listed#1', state: 'parked' }] });
  });

  it('take the URL of the database, whose password is never shown', async () => {
    await postgres.park('by-url#1');
    const url = postgres.url.replace('postgres@', 'postgres:s3cret@');
    const args = ['claims', 'show', 'by-url#1', '--postgres', url, '--table', postgres.table, '--verbose'];
    const { status, out, err } = await runCommand(args);
    expect(status).toBe(0);
    expect(out + err).not.toContain('s3cret');
  });

  it.each([
    ['release', [], 'FAILED'],
    ['resolve', ['--result', '"by hand"'], 'COMPLETED'],
    ['forget', [], undefined],
  ] as const)('change them: %s', async (operation, more, status) => {
    const key = `change#${operation}`;
    await postgres.park(key);
    const changed = await run([
      'claims',
      operation,
      key,
      '--reason',
      'fixed',
      '--yes',
      ...more,
      ...onTable(),
    ]);
    expect({ status: changed.status, err: changed.err }).toEqual({ status: 0, err: '' });
    expect((await postgres.store.inspect(key))?.status).toBe(status);
  });

  it('count them', async () => {
    const { status, out } = await run(['claims', 'stats', '--json', ...onTable()]);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ counts: { parked: expect.any(Number) }, isWhole: true });
  });

  it.each([
    [['claims', 'list', '--postgres', 'KEY'], {}, 2, '--postgres takes the URL of a database'],
    [['claims', 'list', '--postgres'], {}, 2, 'No PostgreSQL is named'],
    [['claims', 'list', '--postgres'], { DATABASE_URL: 'mysql://u:s3cret@h/d' }, 2, 'DATABASE_URL must be'],
    [['claims', 'list', '--postgres', '--redis'], {}, 2, 'Claims are in one store'],
    [['claims', 'list', '--redis', '--table', 'x'], {}, 2, 'Redis has no tables'],
    [['claims', 'list', '--redis'], {}, 2, 'No Redis is named'],
    [['claims', 'list', '--redis', 'KEY'], {}, 2, '--redis takes a URL'],
    [
      ['claims', 'list', '--postgres', 'postgres://u:s3cret@127.0.0.1:1/d'],
      {},
      1,
      'PostgreSQL does not answer',
    ],
    [['claims', 'list', '--redis', 'redis://u:s3cret@127.0.0.1:1'], {}, 1, 'Redis does not answer'],
    [['claims', 'list', '--postgres', 'postgres://h/d', '--index', 'x'], {}, 2, 'are for tables of DynamoDB'],
    [['claims', 'copy', '--from', 'redis', '--to', 'redis', '--yes'], {}, 2, 'Both stores are the same'],
    [['claims', 'copy', '--from', 'redis', '--to', 'dynamodb', '--yes'], {}, 2, 'add --to-table NAME'],
    [['table', 'create', '--redis', '--yes'], {}, 2, 'Redis has no tables'],
    [['table', 'check', '--redis'], {}, 2, 'Redis has no tables'],
    [['table', 'create', '--postgres', '--no-recovery', '--yes'], {}, 2, 'are for tables of DynamoDB'],
    [['claims', 'copy', '--from', 'postgers://u:s3cret@h/d', '--to', 'redis', '--yes'], {}, 2, 'Say where'],
    [['table', 'clean', '--table', 'claims'], {}, 2, 'Only tables of PostgreSQL need cleaning'],
    [['table', 'create', '--print', '--table', 'claims'], {}, 2, 'add --postgres'],
  ] as const)('refuse %j with one line', async (args, env, status, message) => {
    const ended = await runCommand(args, { env });
    expect(ended).toMatchObject({ status, out: '', err: expect.stringContaining(message) });
    expect(ended.err.trim().split('\n')).toHaveLength(1);
    expect(ended.err).not.toContain('s3cret');
  });

  it('say which package is missing, and how to install it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'batchlatch-peers-'));
    expect(() => loadPeer(['ioredis', 'redis'], { folders: [folder] })).toThrow(
      'This needs the package ioredis or redis, which is not installed here: `npm install ioredis` or `npm install redis`.',
    );
    await rm(folder, { recursive: true });
  });
});

describe('claims copy', () => {
  it('copies from one table to another, and says so', async () => {
    const requests = claimRequests(3);
    await postgres.store.acquire(requests);
    await postgres.store.settle(requests.slice(1).map((request) => completion(request, '1')));
    const target = `copied_${postgres.table}`;
    await postgres.pool.query(claimsTableSql({ table: target }));
    const prefix = requests[0]?.key.split('#')[0] ?? '';
    const between = ['--from', 'postgres', '--to', 'postgres', '--from-table', postgres.table];
    const args = ['claims', 'copy', ...between, '--to-table', target, '--prefix', prefix];

    const planned = await run([...args, '--dry-run', '--json']);
    expect(JSON.parse(planned.out)).toEqual({ wouldCopy: 3, running: 1, newer: 0 });
    const asked = await run(args, { terminal: true, input: 'n\n' });
    expect(asked).toMatchObject({ status: 1, out: '' });
    expect(asked.err).toContain(
      `Copy the claims of table ${postgres.table} of PostgreSQL to table ${target}`,
    );

    const copied = await run([...args, '--yes']);
    expect(copied).toMatchObject({ status: 0, out: 'Copied 3 claims; 0 were there already.\n' });
    expect(copied.err).toContain('1 claim was running');
    const again = await run([...args, '--yes', '--json']);
    expect(JSON.parse(again.out)).toMatchObject({
      copied: 0,
      present: 3,
      failed: 0,
      failures: [],
      next: null,
    });
  });
});

describe('table, on PostgreSQL', () => {
  it('prints the statements', async () => {
    const { status, out } = await runCommand(['table', 'create', '--postgres', '--print', '--table', 'a.b']);
    expect({ status, out }).toEqual({ status: 0, out: claimsTableSql({ table: 'a.b' }) });
  });

  it('creates a table, and what it lacks, and does nothing when it is run again', async () => {
    const args = ['table', 'create', '--postgres', '--table', 'made'];
    const first = await run([...args, '--yes']);
    expect(first).toMatchObject({ status: 0, out: 'Table made is ready.\n' });
    const second = await run([...args, '--yes', '--json']);
    expect(JSON.parse(second.out)).toEqual({ table: 'made', done: [] });
    await postgres.pool.query('DROP INDEX made_open');
    expect(await run([...args, '--dry-run'])).toMatchObject({
      err: 'Table made:\n  create the indexes that it lacks\n',
    });
    expect(JSON.parse((await run([...args, '--yes', '--json'])).out)).toMatchObject({ done: ['indexes'] });
    const checked = await run(['table', 'check', '--postgres', '--table', 'made', '--json']);
    // An emulator keeps nothing.
    expect(JSON.parse(checked.out)).toMatchObject({ findings: [{ code: 'postgres-not-durable' }] });
  });

  it('builds an index again that CREATE INDEX CONCURRENTLY has left behind, as doctor says', async () => {
    const args = ['--postgres', '--table', 'half'];
    await run(['table', 'create', ...args, '--yes']);
    const isNotValid = 'UPDATE pg_index SET indisvalid = false WHERE indexrelid = $1::regclass';
    const found = async (): Promise<unknown> =>
      JSON.parse((await run(['table', 'check', ...args, '--json'])).out).findings.find(
        ({ code }: { code: string }) => code === 'postgres-index-missing',
      );

    await postgres.pool.query(isNotValid, ['half_open']);
    const finding = await found();
    expect(finding).toMatchObject({ message: 'Table half lacks the index half_open (it is not valid).' });
    await postgres.pool.query((finding as { fix: string }).fix);
    expect(await found()).toBeUndefined();

    await postgres.pool.query(isNotValid, ['half_expires']);
    expect(await run(['table', 'create', ...args, '--yes'])).toMatchObject({ status: 0 });
    expect(await found()).toBeUndefined();
  });

  it('checks a table, and ends with 1 where it is not as it has to be', async () => {
    await postgres.pool.query(claimsTableSql({ table: 'broken' }));
    await postgres.pool.query('ALTER TABLE broken DROP COLUMN history');
    const { status, out } = await run(['table', 'check', '--postgres', '--table', 'broken', '--json']);
    expect(status).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({
          code: 'postgres-table-columns',
          fix: 'ALTER TABLE "broken" ADD COLUMN history jsonb;',
        }),
      ]),
    });
  });

  it('deletes what is past its retention', async () => {
    await postgres.pool.query(claimsTableSql({ table: 'old' }));
    await postgres.pool.query(
      `INSERT INTO old (key, status, owner, attempt, lease_until, expires_at, created_at, updated_at)
       SELECT 'k' || n, 'COMPLETED', 'o', 1, now(), now() + (n - 30) * interval '1 hour', now(), now() FROM generate_series(1, 40) AS n`,
    );
    const clean = (...args: string[]) => run(['table', 'clean', '--postgres', '--table', 'old', ...args]);
    expect(await clean('--limit', '10')).toMatchObject({
      status: 0,
      out: 'Deleted 10 rows of table old that were past their retention.\n',
      err: expect.stringContaining('There may be more'),
    });
    expect(JSON.parse((await clean('--json')).out)).toEqual({ table: 'old', deleted: 20, isWhole: true });
  });

  it('says what it has deleted before a failure', async () => {
    await postgres.pool.query(claimsTableSql({ table: 'guarded' }));
    await postgres.pool.query(
      `INSERT INTO guarded (key, status, owner, attempt, lease_until, expires_at, created_at, updated_at)
       SELECT 'k' || n, 'COMPLETED', 'o', 1, now(), now() - (2000 - n) * interval '1 minute', now(), now() FROM generate_series(1, 1500) AS n`,
    );
    await postgres.pool.query(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not this one'; END $$",
    );
    await postgres.pool.query(
      "CREATE TRIGGER guard BEFORE DELETE ON guarded FOR EACH ROW WHEN (OLD.key = 'k1500') EXECUTE FUNCTION refuse()",
    );
    const { status, out, err } = await run(['table', 'clean', '--postgres', '--table', 'guarded']);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toBe('Deleted 1,000 rows before this error:\nError: PostgreSQL: P0001\n');
  });
});

describe('The commands of an outbox, on PostgreSQL', () => {
  const table = 'parked_messages';
  const outbox = (...args: string[]): ReturnType<typeof run> =>
    run(['outbox', ...args, '--postgres', '--table', table]);

  it('list, count, drop and release rows', async () => {
    await postgres.pool.query(outboxTableSql({ table }));
    await postgres.pool.query(
      `INSERT INTO ${table} (outbox_id, state, type, body, attributes, deduplication_id, tries, error)
       VALUES ('id-1', 'PARKED', E'Order\\x1b[2JPlaced', '{"secret":1}', '[]', 'd', 10, $1),
         ('id-2', 'WAITING', 'OrderPlaced', '{}', '[]', 'd', 0, NULL)`,
      [{ name: 'SendError', message: 'too long' }],
    );
    const listed = await outbox('list');
    expect(listed).toMatchObject({ status: 0, err: `2 rows in outbox ${table}.\n` });
    expect(listed.out).toMatch(/id-1 +parked .*SendError: too long/);
    expect(listed.out).not.toMatch(/secret/);
    expect(listed.out).not.toContain('\u001b');
    const count = JSON.parse((await outbox('count', '--json')).out) as unknown;
    expect(count).toMatchObject({ waiting: 1, parked: 1, oldestParkedAt: expect.any(String) });
    const because = ['--reason', 'sent by hand', '--yes'];
    expect(await outbox('drop', 'id-1', 'id-2', ...because)).toMatchObject({
      status: 1,
      out: 'Dropped id-1\n',
      err: expect.stringContaining('Refused id-2: a relay may be sending it'),
    });
    const dropped = JSON.parse((await outbox('list', '--state', 'dropped', '--json')).out) as unknown;
    expect(dropped).toMatchObject({ rows: [{ outboxId: 'id-1', history: [{ reason: 'sent by hand' }] }] });
    expect(await outbox('release', 'id-1', ...because)).toMatchObject({ out: 'Released id-1\n' });
  });
});
