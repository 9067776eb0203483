import { bounded } from '../../base/bounded.ts';
import type { Clock } from '../../base/clock.ts';
import type { StoreError } from '../../base/errors.ts';
import { TRANSACTION_STATEMENT_MS } from '../../base/limits.ts';
import { storeSilent } from '../../claims/store-errors.ts';
import { TRANSACTION_ID } from './complete-text.ts';
import { borrow, silent } from './connection.ts';
import { leavesConnection } from './failures.ts';
import type { PostgresClient, PostgresPool, SqlAnswer } from './pool.ts';
import type { TransactionAdapter } from './transaction-adapter.ts';
import { notCommitted } from './transaction-errors.ts';

/** Isolation levels of PostgreSQL. */
export type IsolationLevel = 'read committed' | 'repeatable read' | 'serializable';

const LIMITS = { query: { ms: TRANSACTION_STATEMENT_MS } };

/**
 * Runs transactions on connections of the store's pool. A connection that stops answering is closed and
 * given back.
 */
export function poolTransactions(
  pool: PostgresPool,
  clock: Clock,
  isolationLevel: IsolationLevel | undefined,
): TransactionAdapter<PostgresClient> & { readonly idOf: (client: PostgresClient) => string } {
  const ids = new WeakMap<PostgresClient, string>();
  const send = (client: PostgresClient, text: string): Promise<SqlAnswer | readonly SqlAnswer[]> =>
    bounded(client, LIMITS, (_why, limitMs) => silent(limitMs), clock).query({ text, values: [] });
  const level = isolationLevel === undefined ? '' : ` ISOLATION LEVEL ${isolationLevel.toUpperCase()}`;

  async function begin(client: PostgresClient): Promise<void> {
    // Two statements, one answer for each.
    const answers = await send(client, `BEGIN${level}; ${TRANSACTION_ID}`);
    const last = Array.isArray(answers) ? (answers as readonly SqlAnswer[]).at(-1) : (answers as SqlAnswer);
    ids.set(client, String(last?.rows[0]?.['id']));
  }

  return {
    idOf: (client) => ids.get(client) ?? '',
    async transaction(body) {
      const { client, giveBack } = await borrow(pool, {
        clock,
        limitMs: TRANSACTION_STATEMENT_MS,
        errorOf: noConnection,
      });
      let isGood = false;
      try {
        await begin(client);
        let result;
        try {
          result = await body(client);
        } catch (thrown) {
          isGood = await send(client, 'ROLLBACK').then(
            () => true,
            () => false,
          );
          throw thrown;
        }
        let answer;
        try {
          answer = await send(client, 'COMMIT');
        } catch (thrown) {
          isGood = leavesConnection(thrown); // such as a serialization failure: refused and over
          throw thrown;
        }
        isGood = true;
        // Where a statement has failed, COMMIT rolls back, and that is no error to the database.
        if ((answer as { readonly command?: unknown }).command === 'ROLLBACK') throw notCommitted();
        return result;
      } finally {
        giveBack(!isGood);
      }
    },
    query: async (client, text, values) => (await client.query({ text, values: [...values] })).rows,
  };
}

function noConnection(): StoreError {
  return storeSilent(
    `The pool lent no connection for a transaction within ${TRANSACTION_STATEMENT_MS / 1_000} ` +
      `seconds: all of its connections are in use, so raise its \`max\` ` +
      '(each inTransaction needs one, and the leases of its handlers another), or the server does not answer',
  );
}
