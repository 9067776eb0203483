import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { inTransaction, postgresStore } from 'batchlatch/postgres';
import { sqsEvent } from 'batchlatch/testing';
import type { Pool, PoolClient } from 'pg';
import { relayTexts } from '../../src/outbox/postgres-statements.ts';
import { outboxNames } from '../../src/outbox/postgres-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { pgbouncer, startPgBouncer } from '../../test/support/components/pgbouncer.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { fastClock } from '../../test/support/fast-clock.ts';
import { idOf, type OutboxBench, outboxBench, type PlayedAnswer } from '../../test/support/outbox-bench.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { until } from '../../test/support/until.ts';

/** So long that only a notification wakes up a relay in a test. */
const NEVER_MS = 3_600_000;
const SOON = { pollMs: 20 };

describeWith([postgres], 'an outbox in PostgreSQL', () => {
  let server: PostgresServer;
  let pool: Pool;
  let b: OutboxBench;
  beforeAll(async () => {
    server = await startPostgres();
    pool = poolOf(server.endpoint, { max: 20 });
  }, INSTALL_TIMEOUT_MS);
  beforeEach(async () => {
    b = await outboxBench(pool);
  });
  afterEach(() => b.stop());
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  const isEmpty = async (): Promise<boolean> => (await b.left()).length === 0;
  const parkedIds = async (): Promise<string[]> => {
    const { entries } = await b.admin.list({ state: 'parked', bodies: true });
    return entries.map(({ body = '' }) => idOf({ body }));
  };

  it('sends the messages of each group in order, and each once, with four relays', async () => {
    const tenants = Array.from({ length: 30 }, (_, index) => `tenant-${index}`);
    const underWay = new Set<string>();
    const together: string[] = [];
    b.target.answer = async (id): Promise<PlayedAnswer> => {
      const [tenant = ''] = id.split(':');
      if (underWay.has(tenant)) together.push(id);
      underWay.add(tenant);
      await new Promise(setImmediate);
      underWay.delete(tenant);
      return 'sent';
    };
    for (let relay = 0; relay < 4; relay += 1) await b.relay(SOON);
    await Promise.all(
      tenants.map(async (tenant) => {
        for (let number = 0; number < 25; number += 1) await b.place(tenant, `${tenant}:${number}`);
      }),
    );
    await until('all are sent', isEmpty);
    expect(together).toEqual([]);
    expect(b.target.arrived).toHaveLength(tenants.length * 25);
    for (const tenant of tenants) {
      const own = b.target.arrived.filter((id) => id.startsWith(`${tenant}:`));
      expect(own).toEqual(Array.from({ length: 25 }, (_, number) => `${tenant}:${number}`));
    }
  });

  it('sends nothing of a transaction that rolls back', async () => {
    const client = await pool.connect();
    await client.query('BEGIN');
    await b.outbox.add(client, 'OrderPlaced', { id: 'undone', tenant: 'a' });
    await client.query('ROLLBACK');
    client.release();
    await b.relay(SOON);
    await b.place('a', 'done');
    await until('the other is sent', isEmpty);
    expect(b.target.arrived).toEqual(['done']);
  });

  it('sends the rows of a transaction that commits after rows with higher positions are sent', async () => {
    await b.relay(SOON);
    await b.inCommitted(async (late) => {
      await b.outbox.add(late, 'OrderPlaced', { id: 'late', tenant: 'a' });
      await b.outbox.add(late, 'MailSent', { id: 'late-alone', tenant: 'a' });
      await b.place('a', 'early');
      await b.inCommitted((client) => b.outbox.add(client, 'MailSent', { id: 'early-alone', tenant: 'a' }));
      await until('the early ones are sent', () => b.target.arrived.length === 2);
    });
    await until('all are sent', () => b.target.arrived.length === 4);
    expect(b.target.arrived.slice(2).toSorted()).toEqual(['late', 'late-alone']);
  });

  it('parks a row that is refused, which holds its group and no other until a person releases it', async () => {
    b.target.answer = (id) => (id === 'a2' ? 'never' : 'sent');
    const relay = await b.relay(SOON);
    await b.place('a', 'a1', 'a2', 'a3');
    await b.place('b', 'b1', 'b2');
    await until('a row is parked', async () => (await parkedIds()).length === 1);
    await b.place('b', 'b3');
    await until('b is sent', () => relay.health().sent === 4);
    expect(await b.left()).toEqual(['a2', 'a3']);
    expect(b.target.arrived).toContain('b3');
    expect(relay.health()).toMatchObject({ parked: 1, sent: 4, failuresInARow: 0 });
    const [parked] = (await b.admin.list()).entries;
    expect(parked).toMatchObject({ state: 'parked', type: 'OrderPlaced', group: 'a', tries: 1 });
    expect(parked?.error).toEqual({ name: 'Error', message: 'Answered never' });

    b.target.answer = () => 'sent';
    const change = { operation: 'release', operator: 'pat', reason: 'fixed' } as const;
    const seen = { outboxId: '', state: 'parked', version: '', ...parked } as const;
    const other = { ...seen, version: 'another' };
    expect(await b.admin.change([{ ...change, seen: other, token: 'x' }])).toEqual([
      { status: 'refused', why: 'changed' },
    ]);
    expect(await b.admin.change([{ ...change, seen, token: 'y' }])).toEqual([{ status: 'done' }]);
    await until('a is sent', isEmpty);
    expect(b.target.arrived.slice(-2)).toEqual(['a2', 'a3']);
    expect(await b.admin.change([{ ...change, seen, token: 'y' }])).toEqual([
      { status: 'refused', why: 'absent' },
    ]);
  });

  it('goes on with a group whose parked row a person drops, and keeps the row with the reason', async () => {
    b.target.answer = (id) => (id === 'a1' ? 'never' : 'sent');
    await b.relay(SOON);
    await b.place('a', 'a1', 'a2');
    await until('a row is parked', async () => (await parkedIds()).length === 1);
    const [seen] = (await b.admin.list({ state: 'parked' })).entries;
    const drop = { operation: 'drop', token: 't', operator: 'pat', reason: 'a test order' } as const;
    const outcome = seen && (await b.admin.change([{ ...drop, seen }]));
    expect(outcome).toEqual([{ status: 'done' }]);
    expect(seen && (await b.admin.change([{ ...drop, seen }]))).toEqual([{ status: 'done' }]);
    await until('the next is sent', () => b.target.arrived.includes('a2'));
    const { entries } = await b.admin.list({ state: 'dropped' });
    expect(entries).toMatchObject([
      { state: 'dropped', history: [{ operation: 'drop', operator: 'pat', reason: 'a test order' }] },
    ]);
    expect(entries[0]).not.toHaveProperty('body');
    expect(await b.admin.count()).toEqual({ waiting: 0, parked: 0 });
  });

  it('keeps a row that a person releases just when its 14 days are over', async () => {
    await b.place('a', 'a1');
    await pool.query(`UPDATE ${b.table} SET state = 'DROPPED', changed_at = now() - interval '15 days'`);
    const person = await pool.connect();
    await person.query('BEGIN');
    await person.query(`UPDATE ${b.table} SET state = 'WAITING', changed_at = now()`);
    const cleaning = pool.query(relayTexts(outboxNames(b.table)).clean);
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${b.table}%'`;
    await until('it waits for the row', async () => (await pool.query(waiting)).rowCount === 1);
    await person.query('COMMIT');
    person.release();
    await cleaning;
    expect(await b.left()).toEqual(['a1']);
  });

  it('changes no row that waits for a relay', async () => {
    await b.place('a', 'a1');
    const [seen] = (await b.admin.list()).entries;
    const drop = { operation: 'drop', token: 't', operator: 'pat', reason: 'no' } as const;
    expect(seen && (await b.admin.change([{ ...drop, seen }]))).toEqual([
      { status: 'refused', why: 'waiting' },
    ]);
    expect(await b.left()).toEqual(['a1']);
  });

  it('lists parked rows first, page by page', async () => {
    b.target.answer = (id) => (id.startsWith('p') ? 'never' : 'later');
    await b.place('a', 'p1');
    await b.place('b', 'w1', 'w2');
    await b.place('c', 'p2');
    await b.relay(SOON);
    await until('two are parked', async () => (await parkedIds()).length === 2);
    await b.stop();
    const seen: string[] = [];
    for (let cursor: string | undefined; ;) {
      const page = await b.admin.list({ limit: 1, bodies: true, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.entries.map(({ body = '' }) => idOf({ body })));
      cursor = page.next;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(['p1', 'p2', 'w1', 'w2']);
  });

  it('sends an unknown message again, before the rest of its group, with the same ids', async () => {
    const asked = new Set<string>();
    b.target.answer = (id) => {
      if (id !== 'a1' || asked.has(id)) return 'sent';
      asked.add(id);
      return 'unknown';
    };
    await b.place('a', 'a1', 'a2');
    await b.relay(SOON);
    await until('all are sent', isEmpty);
    expect(b.target.arrived).toEqual(['a1', 'a1', 'a2']);
    const [first, second] = b.target.messages;
    expect(second?.deduplicationId).toBe(first?.deduplicationId);
    expect(second?.attributes).toEqual(first?.attributes);
    expect(first?.attributes).toMatchObject({ type: 'OrderPlaced', outboxId: expect.any(String) });
  });

  it('parks a row after so many tries while others are sent', async () => {
    b.target.answer = (id) => (id === 'a1' ? 'later' : 'sent');
    await b.relay({ ...SOON, maxTries: 1 });
    await b.place('a', 'a1');
    await until('it is parked', async () => {
      await b.place('b', 'other');
      return (await parkedIds()).length === 1;
    });
    expect(await parkedIds()).toEqual(['a1']);
  });

  it('parks nothing while the target takes nothing, and sends all afterwards', async () => {
    b.target.answer = () => 'later';
    await b.place('a', 'a1', 'a2');
    await b.place('b', 'b1');
    const relay = await b.relay({ ...SOON, maxTries: 1 });
    await until('the relay has noticed', () => relay.health().failuresInARow >= 2);
    expect(relay.health().lastError).toMatchObject({ message: 'Answered later' });
    expect(await b.admin.count()).toMatchObject({ waiting: 3, parked: 0 });
    b.target.answer = () => 'sent';
    await until('all are sent', isEmpty);
    expect(relay.health()).toMatchObject({ failuresInARow: 0, lastError: undefined, parked: 0 });
  });

  it('is woken up by a commit, listens again where the connection is lost, and polls meanwhile', async () => {
    const relay = await b.relay({ pollMs: NEVER_MS });
    await until('it listens', () => relay.health().isListening);
    await b.place('a', 'told');
    await until('it is sent', isEmpty);
    const listening = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'`;
    await pool.query(listening);
    await until('it is lost', () => !relay.health().isListening);
    await b.place('a', 'missed');
    await until('it is sent all the same', isEmpty);
    expect(relay.health().isListening).toBe(true);
    const polling = await b.relay({ listen: false, ...SOON });
    await relay.stop();
    await b.place('a', 'polled');
    await until('it is found', isEmpty);
    expect(polling.health().sent).toBe(1);
  });

  it('deletes what is sent though the connection is lost meanwhile, so that it is not sent again', async () => {
    const ofRelay = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE state = 'idle in transaction' AND query LIKE '%${b.table}%'`;
    b.target.answer = async (id): Promise<PlayedAnswer> => {
      if (id === 'a1') expect((await pool.query(ofRelay)).rowCount).toBe(1);
      return 'sent';
    };
    await b.place('a', 'a1', 'a2');
    await b.relay(SOON);
    await until('all are deleted', isEmpty);
    await b.place('a', 'a3');
    await until('the next is sent', isEmpty);
    expect(b.target.arrived).toEqual(['a1', 'a2', 'a3']);
  });

  it('gives up sends that never end, and lets the server end a transaction that it leaves open', async () => {
    let limit: unknown;
    let client: PoolClient | undefined;
    const watched = {
      connect: async () => (client = await pool.connect()),
    };
    b.target.answer = async (): Promise<PlayedAnswer> => {
      limit = (await client?.query('SHOW idle_in_transaction_session_timeout'))?.rows[0];
      return new Promise(() => undefined);
    };
    await b.place('a', 'a1');
    const clock = fastClock(20);
    const options = { pool: watched, clock, listen: false, sendTimeoutMs: 1_000 };
    const relay = await b.relay({ ...SOON, ...options });
    await until('it has given up', () => relay.health().failuresInARow === 1);
    expect(relay.health().lastError?.message).toBe('The sender did not answer within 1 seconds');
    expect(limit).toEqual({ idle_in_transaction_session_timeout: '16s' });
    b.target.answer = () => 'sent';
    await until('it is sent', isEmpty);
  });

  it('goes on after the server has crashed, and starts while it is away', async () => {
    const own = poolOf(server.endpoint, { max: 5, connectionTimeoutMillis: 2_000 });
    try {
      const before = await b.relay({ ...SOON, pool: own });
      await b.place('a', 'a1');
      await until('it is sent', isEmpty);
      await b.place('a', 'a2');
      await server.crash();
      const during = await b.relay({ ...SOON, pool: own });
      await until('both have noticed', () =>
        [before, during].every((relay) => relay.health().failuresInARow > 0),
      );
      await server.startAgain();
      await until('it is sent', () => b.target.arrived.includes('a2'));
      await until('both go on', () => [before, during].every((relay) => relay.health().failuresInARow === 0));
      await b.stop();
    } finally {
      await own.end();
    }
  });

  it('refuses to start without its table, and says how to create it', async () => {
    await expect(b.relay({ table: 'absent' })).rejects.toMatchObject({
      code: 'BATCHLATCH_TABLE_NOT_FOUND',
      message: expect.stringContaining('outboxTableSql()'),
    });
  });

  it('sends all that has waited for two days, each group in order', async () => {
    for (let number = 0; number < 150; number += 1) await b.place(`tenant-${number % 5}`, `${number}`);
    await b.inCommitted((client) =>
      b.outbox.addAll(
        client,
        Array.from({ length: 150 }, (_, index) => ({
          type: 'MailSent',
          body: { id: `mail-${index}`, tenant: 'x' },
        })),
      ),
    );
    await pool.query(`UPDATE ${b.table} SET created_at = created_at - interval '2 days'`);
    const { waiting, oldestWaitingAt = 0 } = await b.admin.count();
    expect(waiting).toBe(300);
    expect(Date.now() - oldestWaitingAt).toBeGreaterThan(2 * 24 * 3_600_000 - 60_000);
    await b.relay(SOON);
    await until('all are sent', isEmpty);
    expect(new Set(b.target.arrived).size).toBe(300);
    expect(b.target.arrived).toHaveLength(300);
    for (let tenant = 0; tenant < 5; tenant += 1) {
      const own = b.target.arrived.map(Number).filter((number) => number % 5 === tenant);
      expect(own).toEqual(own.toSorted((one, other) => one - other));
    }
  });

  it('commits the effect, the completion of its claim and the next message together', async () => {
    const store = postgresStore({ pool, table: await createPostgresTable(pool) });
    let isFailing = true;
    const run = createBatchProcessor<{ readonly id: string }>(
      async ({ body }, context) => {
        await inTransaction(context, async (client) => {
          await b.outbox.add(client, 'OrderPlaced', { id: body.id, tenant: 'a' });
          if (isFailing) throw new Error('broken');
        });
      },
      { store, key: ({ body }) => body.id },
    );
    const event = sqsEvent([{ body: JSON.stringify({ id: 'one' }) }]);
    expect((await run(event)).batchItemFailures).toHaveLength(1);
    expect(await b.left()).toEqual([]);
    isFailing = false;
    expect((await run(event)).batchItemFailures).toEqual([]);
    expect((await run(event)).batchItemFailures).toEqual([]);
    expect(await b.left()).toEqual(['one']);
  });

  it('reads no more than it sends of many waiting rows, by its indexes', async () => {
    await pool.query(`INSERT INTO ${b.table} (outbox_id, message_group, type, body, attributes, deduplication_id)
      SELECT n, CASE WHEN n % 2 = 0 THEN 'g' || n % 1000 END, 'OrderPlaced', '{"id":"' || n || '"}', '{}', n
      FROM generate_series(1, 100000) AS n`);
    await pool.query(`ANALYZE ${b.table}`);
    const before = await rowsRead();
    const relay = await b.relay(SOON);
    await until('some are sent', () => relay.health().sent >= 2_000);
    await b.stop();
    const read = (await rowsRead()) - before;
    expect(read / relay.health().sent).toBeLessThan(5);

    async function rowsRead(): Promise<number> {
      await pool.query('SELECT pg_stat_clear_snapshot()');
      const { rows } = await pool.query(
        `SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_user_tables WHERE relname = $1`,
        [b.table],
      );
      return Number((rows[0] as { readonly read: string }).read);
    }
  });
});

describeWith([postgres, pgbouncer], 'an outbox in PostgreSQL behind PgBouncer in transaction mode', () => {
  it(
    'is relayed by the poll',
    async () => {
      const server = await startPostgres();
      const bouncer = await startPgBouncer({ upstream: server.endpoint, poolSize: 5 });
      const pool = poolOf(bouncer.endpoint);
      try {
        const b = await outboxBench(pool);
        await b.relay({ pollMs: 20, listen: false });
        await b.place('a', 'a1', 'a2');
        await b.place('a', 'a3');
        await until('all are sent', async () => (await b.left()).length === 0);
        expect(b.target.arrived).toEqual(['a1', 'a2', 'a3']);
        await b.stop();
      } finally {
        await pool.end();
        await bouncer.stop();
        await server.stop();
      }
    },
    INSTALL_TIMEOUT_MS,
  );
});
