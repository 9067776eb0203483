import type { TransactionAdapter } from 'batchlatch/postgres';
import type { Knex } from 'knex';

/** Transactions of a Knex instance with the client `pg`, for `inTransaction`. */
export function knexTransactions(knex: Knex): TransactionAdapter<Knex.Transaction> {
  return {
    transaction: (body) => knex.transaction(body),
    async query(trx, text, values) {
      const bindings: string[] = [];
      const sql = text.replaceAll(/\$(\d+)/g, (_all, number: string) => {
        bindings.push(values[Number(number) - 1] as string);
        return '?';
      });
      return (await trx.raw<{ rows: unknown[] }>(sql, bindings)).rows;
    },
  };
}
