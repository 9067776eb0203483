import { inPostgres, type StoreAndAdmin } from '../../test/support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inTransaction, type TransactionClient } from 'batchlatch/postgres';
import type { RecordContext } from 'batchlatch';
import type { Pool } from 'pg';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { createPostgresTable, poolOf } from '../../test/support/postgres-table.ts';
import { transactionBench } from '../../test/support/transaction-bench.ts';
import { until } from '../../test/support/until.ts';

// A statement looks at a row as it was when the statement began, and again when it has waited for the row's lock.
for (const level of ['read committed', 'repeatable read', 'serializable']) {
  describeWith(
    [postgres],
    `a row of PostgreSQL that is waited for, where the role's level is ${level},`,
    () => {
      let server: PostgresServer;
      let pool: Pool;
      /** Whose sessions have the level of the role. */
      let own: Pool;
      let table: string;
      let store: StoreAndAdmin;
      beforeAll(async () => {
        server = await startPostgres();
        pool = poolOf(server.endpoint);
        await pool.query(`ALTER ROLE postgres SET default_transaction_isolation = '${level}'`);
        own = poolOf(server.endpoint);
        table = await createPostgresTable(pool);
        store = inPostgres({ pool: own, table });
      }, INSTALL_TIMEOUT_MS);
      afterAll(async () => {
        await own.end();
        await pool.end();
        await server.stop();
      });

      const claimed = async (status = 'IN_PROGRESS') => {
        const request = { key: randomUUID(), owner: 'mine', leaseMs: 60_000, retentionMs: 60_000 };
        await store.acquire([request]);
        if (status !== 'IN_PROGRESS')
          await pool.query(`UPDATE ${table} SET status = $1 WHERE key = $2`, [status, request.key]);
        return request;
      };

      /** Begins `call` while somebody else changes the row, who commits when it waits. */
      async function whileChanged<Answer>(
        name: string,
        change: string,
        key: string,
        call: () => Promise<Answer>,
      ): Promise<Answer> {
        const client = await pool.connect();
        try {
          await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
          await client.query(`UPDATE ${name} SET ${change} WHERE key = $1 OR record_id = $1`, [key]);
          const calling = call();
          await until('it waits', async () => {
            const { rows } = await pool.query(
              "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'",
            );
            return rows.length > 0;
          });
          await client.query('COMMIT');
          return await calling;
        } finally {
          client.release(true);
        }
      }

      const TAKEN = "owner = 'another', attempt = attempt + 1";

      it('is not settled, extended or started for an owner who has lost it by then', async () => {
        const mine = await claimed();
        const lost = (call: () => Promise<unknown>): Promise<unknown> =>
          whileChanged(table, "owner = 'another'", mine.key, call);
        const back = (): Promise<unknown> =>
          pool.query(`UPDATE ${table} SET owner = 'mine' WHERE key = $1`, [mine.key]);
        expect(await lost(() => store.settle([{ end: 'complete', ...mine }]))).toEqual(['lost']);
        await back();
        expect(await lost(() => store.extend([{ ...mine, leaseMs: 90_000 }]))).toEqual(['lost']);
        await back();
        expect(await lost(async () => store.start?.([mine]))).toEqual(['lost']);
        expect(await store.inspect(mine.key)).toMatchObject({ status: 'IN_PROGRESS', owner: 'another' });
      });

      it('is not acquired where another has it by then', async () => {
        const failed = await claimed('FAILED');
        const outcome = await whileChanged(table, `status = 'IN_PROGRESS', ${TAKEN}`, failed.key, () =>
          store.acquire([{ ...failed, owner: 'third' }]),
        );
        expect(outcome).toMatchObject([{ status: 'conflict', attempt: 2 }]);
      });

      it('is not acquired, completed or kept from its group where another has it by then', async () => {
        const [a, b] = [await claimed(), await claimed()];
        const settling = await whileChanged(table, TAKEN, b.key, () =>
          store.settle([a, b].map((mine) => ({ end: 'complete', ...mine }))),
        );
        expect(settling).toEqual(['stored', 'lost']);
        const [c, d] = [{ ...a, key: randomUUID() }, await claimed('FAILED')];
        const outcomes = await whileChanged(table, `status = 'IN_PROGRESS', ${TAKEN}`, d.key, () =>
          store.acquire([c, { ...d, owner: 'third' }].map((one) => ({ ...one, owner: 'third' }))),
        );
        expect(outcomes).toMatchObject([{ status: 'acquired' }, { status: 'conflict', attempt: 2 }]);
      });

      it('is not changed by a person who has seen another state of it', async () => {
        const failed = await claimed('FAILED');
        const seen = { status: 'FAILED', owner: 'mine', attempt: 1 } as const;
        const outcome = await whileChanged(table, `status = 'IN_PROGRESS', ${TAKEN}`, failed.key, () =>
          store.change([
            {
              operation: 'forget',
              key: failed.key,
              seen,
              owner: 'person',
              operator: 'p',
              reason: 'r',
              retentionMs: 1,
            },
          ]),
        );
        expect(outcome).toMatchObject([{ status: 'refused', why: 'changed' }]);
      });

      it('is not completed in a transaction whose owner has lost it by then', async () => {
        const b = await transactionBench(pool, (_, name) => inPostgres({ pool: own, table: name }));
        const errors: unknown[] = [];
        const insert = (client: TransactionClient): Promise<unknown> =>
          client.query(`INSERT INTO ${b.effects} (id) VALUES ('a')`);
        const back = await b.run(
          (_: unknown, context: RecordContext) =>
            whileChanged(b.claims, TAKEN, 'a', () => inTransaction(context, insert)).catch((error: unknown) =>
              errors.push(error),
            ),
          ['a'],
        );
        expect(back).toEqual(['a']);
        expect(errors).toMatchObject([{ code: 'BATCHLATCH_LEASE_LOST' }]);
        expect(await b.effectsOf('a')).toBe(0);
        expect(await b.claim('a')).toMatchObject({ owner: 'another', status: 'IN_PROGRESS' });
      });
    },
  );
}
