import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { RecordContext } from 'batchlatch';
import { inTransaction, type TransactionAdapter } from 'batchlatch/postgres';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import createKnex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { drizzleTransactions } from '../../examples/transactions/drizzle.ts';
import { knexTransactions } from '../../examples/transactions/knex.ts';
import { kyselyTransactions } from '../../examples/transactions/kysely.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { postgres, type PostgresServer, startPostgres } from '../../test/support/components/postgres.ts';
import { poolOf } from '../../test/support/postgres-table.ts';
import { type TransactionBench, transactionBench } from '../../test/support/transaction-bench.ts';

let server: PostgresServer;
let pool: Pool;
let b: TransactionBench;

/** A database of an ORM: its transactions, and how it inserts an effect in one of them. */
interface Orm<Client> {
  readonly adapter: TransactionAdapter<Client>;
  insert(client: Client, id: string): Promise<unknown>;
  end(): Promise<unknown>;
}

function kysely(): Orm<unknown> {
  const db = new Kysely<Record<string, { id: string }>>({
    dialect: new PostgresDialect({ pool: poolOf(server.endpoint) }),
  });
  return orm({
    adapter: kyselyTransactions(db),
    insert: (trx, id) => trx.insertInto(b.effects).values({ id }).execute(),
    end: () => db.destroy(),
  });
}

function drizzleOrm(): Orm<unknown> {
  const own = poolOf(server.endpoint);
  return orm({
    adapter: drizzleTransactions(drizzle(own)),
    insert: (tx, id) => tx.insert(pgTable(b.effects, { id: text('id') })).values({ id }),
    end: () => own.end(),
  });
}

function knex(): Orm<unknown> {
  const db = createKnex({ client: 'pg', connection: server.endpoint });
  return orm({
    adapter: knexTransactions(db),
    insert: (trx, id) => trx(b.effects).insert({ id }),
    end: () => db.destroy(),
  });
}

function orm<Client>(typed: Orm<Client>): Orm<unknown> {
  return typed;
}

const raise = (state: string): string => `DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${state}'; END $$`;

describeWith([postgres], 'inTransaction with the transactions of', () => {
  beforeAll(async () => {
    server = await startPostgres();
    pool = poolOf(server.endpoint);
  }, INSTALL_TIMEOUT_MS);
  beforeEach(async () => {
    b = await transactionBench(pool);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  for (const [name, open] of Object.entries({ Kysely: kysely, Drizzle: drizzleOrm, Knex: knex })) {
    it(`${name}: commits the effect and the completion, or neither`, async () => {
      const { adapter, insert, end } = open();
      const isLate = (id: string): boolean => id === 'late';
      const handler = (record: { readonly body: unknown }, context: RecordContext): Promise<unknown> => {
        const { id } = record.body as { id: string };
        return inTransaction(
          context,
          async (client) => {
            await insert(client, id);
            if (isLate(id)) await b.takeOver(id);
            if (id === 'throws') throw new Error('no stock');
            return { id };
          },
          { adapter },
        );
      };
      expect(await b.run(handler, ['a', 'late', 'throws'])).toEqual(['late', 'throws']);
      expect(await b.allEffects()).toEqual(['a']);
      expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '{"id":"a"}' });
      expect(await b.claim('late')).toMatchObject({ status: 'IN_PROGRESS', owner: 'another' });
      expect(await b.claim('throws')).toMatchObject({ status: 'FAILED', error: { message: 'no stock' } });
      await end();
    });

    it(`${name}: runs again after a serialization failure, and says what else the database refuses`, async () => {
      const { adapter, insert, end } = open();
      const states = ['40001', '40P01', '23514'];
      let runs = 0;
      const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
        inTransaction(
          context,
          async (client) => {
            await insert(client, 'a');
            runs += 1;
            await adapter.query(client, raise(states[runs - 1] ?? ''), []);
          },
          { adapter },
        );
      expect(await b.run(handler, ['a'])).toEqual(['a']);
      expect(runs).toBe(3);
      expect(await b.allEffects()).toEqual([]);
      await end();
    });

    it(`${name}: completes nothing where a statement that nobody waits for makes the COMMIT a rollback`, async () => {
      const { adapter, insert, end } = open();
      const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
        inTransaction(
          context,
          async (client) => {
            await insert(client, 'a');
            const isForgotten = async (): Promise<void> => {
              await adapter.query(client, 'SELECT 1', []);
              await adapter.query(client, raise('23514'), []); // sent after the completion, and before the COMMIT
            };
            isForgotten().catch(() => undefined);
          },
          { adapter },
        );
      expect(await b.run(handler, ['a'])).toEqual(['a']);
      expect(await b.allEffects()).toEqual([]);
      expect(await b.claim('a')).toMatchObject({ status: 'FAILED' });
      await end();
    });

    it(`${name}: completes many records at once, without those whose claims are lost`, async () => {
      const { adapter, insert, end } = open();
      const ids = Array.from({ length: 12 }, (_, index) => `r${index + 10}`);
      const back = await b.runMany(
        (items) =>
          inTransaction(
            items,
            async (client, live) => {
              for (const { record } of live) await insert(client, (record.body as { id: string }).id);
              if (live.length === ids.length) await b.takeOver('r15');
              return live.map(({ record }) => record.body);
            },
            { adapter },
          ),
        ids,
      );
      expect(back).toEqual(['r15']);
      expect(await b.allEffects()).toEqual(ids.filter((id) => id !== 'r15'));
      expect(await b.claim('r20')).toMatchObject({ status: 'COMPLETED', result: '{"id":"r20"}' });
      await end();
    });

    it(`${name}: rolls back where the COMMIT itself is refused, and the handler learns why`, async () => {
      const { adapter, insert, end } = open();
      await pool.query(`ALTER TABLE ${b.effects} ADD UNIQUE (id) DEFERRABLE INITIALLY DEFERRED`);
      const errors: unknown[] = [];
      const handler = (_: unknown, context: RecordContext): Promise<unknown> =>
        inTransaction(
          context,
          async (client) => {
            await insert(client, 'a');
            await insert(client, 'a');
          },
          { adapter },
        ).catch((error: unknown) => {
          errors.push(error);
          return 'rejected';
        });
      expect(await b.run(handler, ['a'])).toEqual([]);
      expect(errors).toMatchObject([{ code: 'BATCHLATCH_STORE' }]);
      expect(String(errors[0])).toContain('23505');
      expect(await b.allEffects()).toEqual([]);
      expect(await b.claim('a')).toMatchObject({ status: 'COMPLETED', result: '"rejected"' });
      await end();
    });
  }
});
