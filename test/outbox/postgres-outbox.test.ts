import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { outboxTableSql, postgresOutbox } from 'batchlatch/outbox';
import type { Pool } from 'pg';
import { startPostgresEmulator } from '../../lab/local/emulators/postgres-emulator.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { countingPool } from '../support/counting-pool.ts';
import { type OutboxBench, outboxBench, shop } from '../support/outbox-bench.ts';
import { poolOf } from '../support/postgres-table.ts';
import { until } from '../support/until.ts';

const order = { id: 'one', tenant: 'a' };

describe('postgresOutbox', () => {
  let service: LocalService;
  let pool: Pool;
  let b: OutboxBench;
  beforeAll(async () => {
    service = await startPostgresEmulator();
    pool = poolOf(service.endpoint);
  });
  beforeEach(async () => {
    b = await outboxBench(pool);
  });
  afterEach(() => b.stop());
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });

  /** A connection that notes its statements, and answers nothing. */
  function noting() {
    const sent: { readonly text: string; readonly values: readonly unknown[] }[] = [];
    return {
      sent,
      query: async (text: string, values: readonly unknown[] = []) => {
        sent.push({ text, values });
        return { rows: [], rowCount: 0 };
      },
    };
  }

  it('writes a row with the type, the ids, the group and the trace context of the moment', async () => {
    const trace = () => ({ traceparent: '00-1-2-01' });
    const outbox = postgresOutbox({ messages: shop, table: b.table, trace });
    const outboxId = await b.inCommitted((client) => outbox.add(client, 'OrderPlaced', order));
    const { rows } = await pool.query(`SELECT * FROM ${b.table}`);
    expect(rows).toMatchObject([
      {
        outbox_id: outboxId,
        state: 'WAITING',
        message_group: 'a',
        type: 'OrderPlaced',
        body: JSON.stringify(order),
        attributes: { type: 'OrderPlaced', outboxId, traceparent: '00-1-2-01' },
        deduplication_id: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it('writes any number of messages with one statement, in their order', async () => {
    const client = noting();
    await b.outbox.addAll(client, [
      { type: 'OrderPlaced', body: order },
      { type: 'MailSent', body: order },
    ]);
    expect(client.sent).toHaveLength(1);
    expect(await b.outbox.addAll(client, [])).toEqual([]);
    expect(client.sent).toHaveLength(1);
    const ids = Array.from({ length: 200 }, (_, index) => `${index}`);
    await b.place('a', ...ids);
    expect(await b.left()).toEqual(ids);
  });

  it('keeps every text of a body', async () => {
    const id = 'quotes " \\ and \0, half of \ud800, 🙂, {"$1"}';
    await b.place('a', id);
    const { rows } = await pool.query(`SELECT body FROM ${b.table}`);
    expect(JSON.parse((rows[0] as { readonly body: string }).body)).toEqual({ id, tenant: 'a' });
  });

  it('sends statements through the adapter of an ORM, and wakes up nobody where it shall not', async () => {
    const texts: string[] = [];
    const outbox = postgresOutbox({
      messages: shop,
      notify: false,
      adapter: { query: async (_tx: { readonly orm: true }, text) => (texts.push(text), []) },
    });
    await outbox.add({ orm: true }, 'OrderPlaced', order);
    expect(texts).toEqual([expect.stringContaining('INSERT INTO "batchlatch_outbox"')]);
    expect(texts[0]).not.toContain('pg_notify');
  });

  it.each([
    ['a body that does not fit', { type: 'MailSent', body: { id: 1 } }, 'BATCHLATCH_INVALID_MESSAGE'],
    ['a type that it does not know', { type: 'Other', body: order }, 'BATCHLATCH_CONFIGURATION'],
    ['a group with a space', { type: 'OrderPlaced', body: { id: '1', tenant: 'a b' } }, 'BATCHLATCH_KEY'],
    ['an empty group', { type: 'OrderPlaced', body: { id: '1', tenant: '' } }, 'BATCHLATCH_KEY'],
    [
      'a group of 129 characters',
      { type: 'OrderPlaced', body: { id: '1', tenant: 'a'.repeat(129) } },
      'BATCHLATCH_KEY',
    ],
    [
      'a body above 300 KB',
      { type: 'MailSent', body: { id: 'é'.repeat(153_600), tenant: 'a' } },
      'BATCHLATCH_CONFIGURATION',
    ],
  ])('refuses %s before the database sees it', async (_what, refused, code) => {
    const client = noting();
    const adding = b.outbox.addAll(client, [{ type: 'MailSent', body: order }, refused as never]);
    await expect(adding).rejects.toMatchObject({ code });
    expect(client.sent).toEqual([]);
  });

  it('refuses a pool, which would commit the message by itself', async () => {
    await expect(b.outbox.add(pool, 'OrderPlaced', order)).rejects.toThrow('got a pool');
    expect(await b.left()).toEqual([]);
  });

  it('refuses a type without a group at start, where the target is a FIFO queue', () => {
    const to = { queueUrl: 'https://sqs.eu-west-1.amazonaws.com/1/orders.fifo' };
    expect(() => postgresOutbox({ messages: shop, to })).toThrow('`MailSent` has no `group`');
    expect(
      postgresOutbox({ messages: shop, to: { queueUrl: to.queueUrl.replace('.fifo', '') } }),
    ).toBeDefined();
  });

  it('stores a long body before the transaction, and adds the pointer to it', async () => {
    const stored: string[] = [];
    const large = { put: async (body: string) => (stored.push(body), '["pointer"]') };
    const outbox = postgresOutbox({ messages: shop, table: b.table, large });
    const long = { id: 'x'.repeat(400_000), tenant: 'a' };
    const client = noting();
    await expect(outbox.add(client, 'MailSent', long)).rejects.toThrow('outbox.prepare(type, body)');
    expect(client.sent).toEqual([]);
    const prepared = [await outbox.prepare('MailSent', long), await outbox.prepare('MailSent', order)];
    await b.inCommitted((own) => outbox.addAll(own, prepared));
    expect(stored).toEqual([JSON.stringify(long)]);
    const { rows } = await pool.query(`SELECT body, attributes FROM ${b.table} ORDER BY id`);
    expect(rows).toMatchObject([
      { body: '["pointer"]', attributes: { ExtendedPayloadSize: '400022' } },
      { body: JSON.stringify(order) },
    ]);
  });

  it('is held by a parked row of its group, and by no other', async () => {
    b.target.answer = (id) => (id === 'a1' ? 'never' : 'sent');
    const relay = await b.relay({ listen: false, pollMs: 10 });
    await b.place('a', 'a1', 'a2');
    await until('a row is parked', () => relay.health().parked === 1);
    b.target.answer = () => 'sent';
    await b.place('b', 'b1');
    await until('the other group is sent', () => relay.health().sent > 0);
    await b.stop();
    expect(b.target.arrived).toEqual(['b1']);
    expect(await b.left()).toEqual(['a1', 'a2']);
  });

  it('is relayed with six statements for a round, and one where there is nothing to send', async () => {
    const counting = countingPool(pool);
    await b.place('a', 'a1', 'a2');
    await b.place('b', 'b1');
    await b.inCommitted((client) => b.outbox.add(client, 'MailSent', order));
    const relay = await b.relay({ pool: counting, listen: false, pollMs: 3_600_000 });
    // Also: the start, the search that finds nothing, and the first clean-up.
    await until('it has nothing to send', () => counting.statements.length === 6 + 3);
    await b.stop();
    expect(counting.statements).toHaveLength(6 + 3);
    expect(await b.left()).toEqual([]);
    expect(relay.health()).toMatchObject({ sent: 4, state: 'stopped' });
  });

  it('deletes the locks of all groups that have no rows, however many there are', async () => {
    await pool.query(`INSERT INTO ${b.table}_groups SELECT 'order-' || n FROM generate_series(1, 2500) AS n`);
    await b.relay({ listen: false, pollMs: 10 });
    const locks = `SELECT FROM ${b.table}_groups LIMIT 1`;
    await until('none is left', async () => (await pool.query(locks)).rowCount === 0);
    expect(await b.left()).toEqual([]);
  });
});

describe('outboxTableSql', () => {
  it('names all that it creates after the table', () => {
    const sql = outboxTableSql({ table: 'shop.Messages' });
    expect(sql).toContain('CREATE TABLE IF NOT EXISTS "shop"."Messages" (');
    expect(sql).toContain('CREATE TABLE IF NOT EXISTS "shop"."Messages_groups" (');
    expect(sql).toContain('INDEX IF NOT EXISTS "Messages_grouped" ON "shop"."Messages"');
    expect(() => outboxTableSql({ table: 'a.b.c' })).toThrow('`table`');
  });
});
