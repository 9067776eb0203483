import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { BatchResponse } from 'batchlatch';
import { claimsTableSql } from 'batchlatch/postgres';
import { type SqsMessage, sqsEvent } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { seededRandom } from '../local/demo/seeded-random.ts';
import { v2Event } from '../../test/http/lambda-events.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { poolOf } from '../../test/support/postgres-table.ts';
import { payloadOf, startFunction, type StartedFunction } from '../../test/support/started-function.ts';

/** Of an invocation; a dead process's claims are free a second after it. */
const TIMEOUT_MS = 1_500;

describeWith([postgres], 'the examples on PostgreSQL', () => {
  let server: PostgresServer;
  let pool: Pool;
  const started = new Set<StartedFunction>();
  beforeAll(async () => {
    server = await startPostgres();
    pool = poolOf(server.endpoint);
    await pool.query(claimsTableSql());
    for (const file of ['orders-postgres/schema.sql', 'payments-api/payments.sql']) {
      await pool.query(await readFile(new URL(`../../examples/${file}`, import.meta.url), 'utf8'));
    }
  }, INSTALL_TIMEOUT_MS);
  afterEach(async () => {
    for (const fn of started) await fn.stop();
    started.clear();
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  async function start(
    module: string,
    {
      environment = {},
      timeoutMs = TIMEOUT_MS,
    }: { readonly environment?: Readonly<Record<string, string>>; readonly timeoutMs?: number } = {},
  ): Promise<StartedFunction> {
    const { hostname, port } = new URL(server.endpoint);
    const fn = await startFunction({
      module: new URL(module, import.meta.url),
      environment: {
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: 'postgres',
        PGDATABASE: 'postgres',
        BATCHLATCH_LOG_LEVEL: 'silent',
        ...environment,
      },
      timeoutMs,
    });
    started.add(fn);
    return fn;
  }

  describe('orders-postgres', () => {
    it('takes the goods of each order from the stock once, although processes are killed and messages come again', async () => {
      const random = seededRandom(20_260_102);
      await pool.query(`INSERT INTO stock (sku, available) VALUES ('book', 60), ('pen', 1000)`);
      const orders = Array.from({ length: 100 }, (_, index) => ({
        orderId: `o${index}`,
        sku: random.integer(2) === 0 ? 'book' : 'pen',
        quantity: 1 + random.integer(3),
      }));
      // Every order is sent twice, and whatever is not acknowledged comes again.
      const waiting = random.shuffled(
        [...orders, ...orders].map((body, index): SqsMessage => ({ messageId: `m${index}`, body })),
      );
      let kills = 0;
      let batches = 0;
      const fn = await start('../../examples/orders-postgres/orders-postgres.ts');
      const work = async (): Promise<void> => {
        while (waiting.length > 0) {
          const batch = waiting.splice(0, 10);
          batches += 1;
          const isDoomed = kills < 4 && batches % 3 === 0; // drawn, it would depend on which of the two comes first
          if (isDoomed) kills += 1;
          const failed = await invoke(fn, batch, isDoomed ? random.integer(40) : undefined);
          waiting.push(...batch.filter(({ messageId = '' }) => failed === 'all' || failed.has(messageId)));
          if (failed !== 'all' && failed.size > 0) await delay(100);
        }
      };
      await Promise.all([work(), work()]);

      expect(kills).toBe(4);
      const placed = await pool.query<{ order_id: string; sku: string; quantity: number; status: string }>(
        'SELECT * FROM orders',
      );
      expect(placed.rows.map((row) => row.order_id).toSorted()).toEqual(
        orders.map(({ orderId }) => orderId).toSorted(),
      );
      const stock = await pool.query<{ sku: string; available: number }>('SELECT * FROM stock ORDER BY sku');
      for (const [sku, before] of [
        ['book', 60],
        ['pen', 1000],
      ] as const) {
        const sold = placed.rows
          .filter((row) => row.sku === sku && row.status === 'placed')
          .reduce((total, { quantity }) => total + quantity, 0);
        expect(stock.rows.find((row) => row.sku === sku)?.available).toBe(before - sold);
      }
      expect(placed.rows.some(({ status }) => status === 'out-of-stock')).toBe(true);
    });
  });

  describe('payments-api', () => {
    const module = '../../test/support/dying-payments.ts';
    const event = (key: string, orderId: string): object =>
      Object.assign(v2Event({ key, body: JSON.stringify({ orderId, amountCents: 500 }) }), {
        requestContext: {
          http: { method: 'POST', path: '/payments' },
          authorizer: { jwt: { claims: { sub: 'customer-1' }, scopes: [] } },
        },
      });
    const paymentsOf = async (orderId: string): Promise<number> => {
      const { rowCount } = await pool.query('SELECT 1 FROM payments WHERE order_id = $1', [orderId]);
      return rowCount ?? 0;
    };

    it('answers a request that comes again with the stored answer, and pays an order once', async () => {
      const fn = await start(module, { timeoutMs: 5_000 });
      const first = payloadOf(await fn.invoke(event('key-a', 'o-1')));
      expect(first).toMatchObject({ statusCode: 201 });
      const again = payloadOf(await fn.invoke(event('key-a', 'o-1')));
      expect(again).toMatchObject({
        statusCode: 201,
        body: (first as { body: string }).body,
        headers: { 'idempotency-replayed': 'true' },
      });
      expect(payloadOf(await fn.invoke(event('key-b', 'o-1')))).toMatchObject(first as object);
      expect(await paymentsOf('o-1')).toBe(1);
    });

    it.each([
      ['before the COMMIT', 'before-commit', 0],
      ['after it, before the answer', 'after-commit', 1],
    ])(
      'pays once where the process is killed %s, and the client asks again',
      async (_moment, diesAt, after) => {
        const dying = await start(module, { environment: { DIES_AT: diesAt } });
        expect(await dying.invoke(event(diesAt, diesAt))).toMatchObject({ ok: false });
        expect(await paymentsOf(diesAt)).toBe(after);
        await delay(2_600); // the lease of the one that died lapses
        const fn = await start(module);
        const answer = payloadOf(await fn.invoke(event(diesAt, diesAt)));
        expect(answer).toMatchObject({ statusCode: 201, body: expect.stringContaining('paymentId') });
        expect(await paymentsOf(diesAt)).toBe(1);
      },
    );
  });
});

/** The ids that come again; all of them when the process did not answer. It is killed after so many milliseconds. */
async function invoke(
  fn: StartedFunction,
  batch: readonly SqsMessage[],
  killedAfterMs: number | undefined,
): Promise<ReadonlySet<string> | 'all'> {
  const event = sqsEvent(batch);
  const running = fn.invoke(event);
  if (killedAfterMs !== undefined) void fn.kill(event, killedAfterMs);
  const result = await running;
  if (!result.ok) return 'all';
  const { batchItemFailures } = result.payload as BatchResponse;
  return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
}
