import { systemClock } from '../../src/base/clock.ts';
import type { Completion } from '../../src/claims/claim-store.ts';
import type { CommitOutcome } from '../../src/claims/commit.ts';
import { claimsTable } from '../../src/stores/postgres/claims-table.ts';
import { poolTransactions } from '../../src/stores/postgres/pool-transactions.ts';
import type { TransactionEffect } from '../../src/stores/postgres/transaction-effect.ts';
import { TransactionRun } from '../../src/stores/postgres/transaction-run.ts';
import type { CommitSubject } from 'batchlatch/testing';
import type { Pool } from 'pg';

/** Counters in a table, and effects that are transactions of `inTransaction`, for the contract of stores with `commit`. */
export function postgresCounters(
  pool: () => Pool,
  tableName: () => string,
  now: () => string,
): CommitSubject {
  const effect = (names: readonly string[], isRefused: boolean): TransactionEffect => ({
    kind: 'postgres',
    content: names,
    async write(completion: Completion): Promise<CommitOutcome> {
      const table = claimsTable({
        pool: pool(),
        tableName: tableName(),
        clock: systemClock,
        now,
        random: () => 0,
      });
      let outcome: CommitOutcome | undefined;
      const transaction = {
        async complete(inner: unknown) {
          outcome = await (inner as TransactionEffect).write(completion);
          if (outcome !== 'stored') throw new Error('not stored');
        },
        noteNotDone: () => undefined,
      };
      const run = new TransactionRun(
        [transaction],
        async (client) => {
          for (const name of names) {
            const text =
              'INSERT INTO counters AS c VALUES ($1, 1) ON CONFLICT (name) DO UPDATE SET n = c.n + 1';
            await client.query({ text, values: [name] });
          }
          if (isRefused) throw new Error('refused');
          return [{ result: undefined }];
        },
        { adapter: poolTransactions(pool(), systemClock, undefined), table },
      );
      const end = await run.end();
      return outcome ?? { refused: end.status === 'failed' ? (end.error as Error) : new Error(end.status) };
    },
  });
  return {
    effect: (names) => effect(names, false),
    refusedEffect: (names) => effect(names, true),
    async read(name) {
      const { rows } = await pool().query<{ n: number }>('SELECT n FROM counters WHERE name = $1', [name]);
      return rows[0]?.n ?? 0;
    },
  };
}
