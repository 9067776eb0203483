import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SQSEvent } from 'aws-lambda';
import type { BatchResponse } from 'batchlatch';
import { claimsTableSql } from 'batchlatch/postgres';
import { lambdaContext, type SqsMessage, sqsEvent } from 'batchlatch/testing';
import type { Pool } from 'pg';
import { seededRandom } from '../../local/demo/seeded-random.ts';
import { type Sandbox, startSandbox } from '../../local/emulators/sandbox.ts';
import { v2Event } from '../http/lambda-events.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../support/components/postgres.ts';
import { poolOf } from '../support/postgres-table.ts';

/** Of an invocation; a dead process's claims are free a second after it. */
const TIMEOUT_MS = 1_500;

describeWith([postgres], 'the examples on PostgreSQL', () => {
  let server: PostgresServer;
  let pool: Pool;
  const sandboxes = new Set<Sandbox>();
  beforeAll(async () => {
    server = await startPostgres();
    pool = poolOf(server.endpoint);
    await pool.query(claimsTableSql());
    for (const file of ['orders-postgres/schema.sql', 'payments-api/payments.sql']) {
      await pool.query(await readFile(new URL(`../../examples/${file}`, import.meta.url), 'utf8'));
    }
  }, INSTALL_TIMEOUT_MS);
  afterEach(async () => {
    for (const sandbox of sandboxes) await sandbox.stop();
    sandboxes.clear();
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  async function newSandbox(module: string, env: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
    const { hostname, port } = new URL(server.endpoint);
    const sandbox = await startSandbox({
      handlerModule: new URL(module, import.meta.url),
      env: {
        PGHOST: hostname,
        PGPORT: port,
        PGUSER: 'postgres',
        PGDATABASE: 'postgres',
        AWS_REGION: 'eu-central-1',
        BATCHLATCH_LOG_LEVEL: 'silent',
        ...env,
      },
      isSilent: true,
    });
    sandboxes.add(sandbox);
    return sandbox;
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
      const module = '../../examples/orders-postgres/orders-postgres.ts';
      const work = async (): Promise<void> => {
        let sandbox = await newSandbox(module);
        while (waiting.length > 0) {
          const batch = waiting.splice(0, 10);
          if (kills < 4 && random.integer(3) === 0) {
            kills += 1;
            void delay(random.integer(40)).then(() => sandbox.kill());
          }
          const failed = await invoke(sandbox, batch);
          waiting.push(...batch.filter(({ messageId = '' }) => failed === 'all' || failed.has(messageId)));
          if (failed !== 'all' && failed.size > 0) await delay(100);
          if (!sandbox.isAlive) sandbox = await newSandbox(module);
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
    }, 120_000);
  });

  describe('payments-api', () => {
    const module = '../support/dying-payments.ts';
    const event = (key: string, orderId: string): SQSEvent =>
      Object.assign(v2Event({ key, body: JSON.stringify({ orderId, amountCents: 500 }) }), {
        requestContext: {
          http: { method: 'POST', path: '/payments' },
          authorizer: { jwt: { claims: { sub: 'customer-1' }, scopes: [] } },
        },
      }) as unknown as SQSEvent;
    const paymentsOf = async (orderId: string): Promise<number> => {
      const { rowCount } = await pool.query('SELECT 1 FROM payments WHERE order_id = $1', [orderId]);
      return rowCount ?? 0;
    };

    it('answers a request that comes again with the stored answer, and pays an order once', async () => {
      const sandbox = await newSandbox(module);
      const context = lambdaContext({ remainingTimeMs: 5_000 });
      const first = await sandbox.invoke(event('key-a', 'o-1'), context);
      expect(first).toMatchObject({ statusCode: 201 });
      const again = await sandbox.invoke(event('key-a', 'o-1'), context);
      expect(again).toMatchObject({
        statusCode: 201,
        body: (first as { body: string }).body,
        headers: { 'idempotency-replayed': 'true' },
      });
      expect(await sandbox.invoke(event('key-b', 'o-1'), context)).toMatchObject(first as object);
      expect(await paymentsOf('o-1')).toBe(1);
    });

    it.each([
      ['before the COMMIT', 'before-commit', 0],
      ['after it, before the answer', 'after-commit', 1],
    ])(
      'pays once where the process is killed %s, and the client asks again',
      async (_moment, diesAt, after) => {
        const dying = await newSandbox(module, { DIES_AT: diesAt });
        const context = (): ReturnType<typeof lambdaContext> =>
          lambdaContext({ remainingTimeMs: TIMEOUT_MS });
        await expect(dying.invoke(event(diesAt, diesAt), context())).rejects.toThrow();
        expect(await paymentsOf(diesAt)).toBe(after);
        await delay(2_600); // the lease of the one that died lapses
        const sandbox = await newSandbox(module);
        const answer = await sandbox.invoke(event(diesAt, diesAt), context());
        expect(answer).toMatchObject({ statusCode: 201, body: expect.stringContaining('paymentId') });
        expect(await paymentsOf(diesAt)).toBe(1);
      },
    );
  });
});

/** The ids that come again; all of them when the process did not answer. */
async function invoke(sandbox: Sandbox, batch: readonly SqsMessage[]): Promise<ReadonlySet<string> | 'all'> {
  try {
    const answer = await sandbox.invoke(sqsEvent(batch), lambdaContext({ remainingTimeMs: TIMEOUT_MS }));
    return new Set((answer as BatchResponse).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  } catch {
    return 'all';
  }
}
