import type { TransactionAdapter } from 'batchlatch/postgres';
import { sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';

/** What Drizzle gives to the function of a transaction. */
type Transaction<Schema extends Record<string, unknown>> = Parameters<
  Parameters<NodePgDatabase<Schema>['transaction']>[0]
>[0];

/** Transactions of a Drizzle database on `pg`, for `inTransaction`. */
export function drizzleTransactions<Schema extends Record<string, unknown>>(
  db: NodePgDatabase<Schema>,
): TransactionAdapter<Transaction<Schema>> {
  return {
    transaction: (body) => db.transaction(body),
    async query(tx, text, values) {
      // The text alternates with the numbers of its values.
      const parts = text
        .split(/\$(\d+)/)
        .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql.param(values[Number(part) - 1])));
      return (await tx.execute(sql.join(parts))).rows;
    },
  };
}
