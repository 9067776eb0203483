import type { TransactionAdapter } from 'batchlatch/postgres';
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';

/** Transactions of a Kysely instance with its `PostgresDialect`, for `inTransaction`. */
export function kyselyTransactions<Tables>(db: Kysely<Tables>): TransactionAdapter<Transaction<Tables>> {
  return {
    transaction: (body) => db.transaction().execute(body),
    query: async (trx, text, values) => (await trx.executeQuery(CompiledQuery.raw(text, [...values]))).rows,
  };
}
