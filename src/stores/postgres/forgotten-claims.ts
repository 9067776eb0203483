import { anInteger, aString, type Check, checkOptionsOf, objectWith } from '../../options/check-options.ts';
import { claimsTable } from './claims-table.ts';
import { aPool, type PostgresPool } from './pool.ts';
import { send } from './sender.ts';

/** Options of `deleteForgottenClaims()`. */
export interface ForgottenClaimsOptions {
  /** A `Pool` of `pg`, or what does as much. */
  readonly pool: PostgresPool;
  /** The claims table. Default: `batchlatch_claims`. */
  readonly table?: string;
  /** The most rows to delete; a call that deletes as many may have left others. Default: 100,000. */
  readonly limit?: number;
  /** Once aborted, no other step begins. */
  readonly signal?: AbortSignal;
}

const checks: Readonly<Record<keyof ForgottenClaimsOptions, Check>> = {
  pool: aPool,
  table: aString(),
  limit: anInteger(1),
  signal: objectWith('addEventListener'),
};

/** So many rows are locked at a time, for some milliseconds. */
const ROWS_OF_A_STEP = 1_000;

/**
 * Deletes rows whose retention is over, but for those of a newer format, the oldest first, in steps of 1,000: each is a transaction of its own and passes over
 * rows that somebody else has locked, so that no attempt waits for more than a step. Gives the number of rows that it deleted.
 * To be called on a schedule, such as every hour. Several may run at once. Rejects with a `StoreError`; the steps before it are done.
 *
 * @param options The pool, the table, and the most rows to delete.
 * @throws `ConfigurationError` for an option that is unknown, missing or impossible.
 *
 * @example
 * await deleteForgottenClaims({ pool });
 */
export async function deleteForgottenClaims(options: ForgottenClaimsOptions): Promise<number> {
  checkOptionsOf('deleteForgottenClaims', options, checks);
  const { pool, table: tableName, limit = 100_000, signal } = options;
  const table = claimsTable({ pool, tableName });
  const text = `
WITH forgotten AS (
  SELECT key FROM ${table.table} WHERE expires_at <= ${table.now()} AND strpos(status, '@') = 0
  ORDER BY expires_at LIMIT $1::int FOR UPDATE SKIP LOCKED
), deleted AS (
  DELETE FROM ${table.table} AS c USING forgotten AS f WHERE c.key = f.key RETURNING 1
)
SELECT count(*) AS deleted FROM deleted`;
  let deleted = 0;
  while (deleted < limit && signal?.aborted !== true) {
    const step = Math.min(ROWS_OF_A_STEP, limit - deleted);
    const { rows } = await send(table, { text, values: [step] }, ['SELECT', 'UPDATE', 'DELETE'], signal);
    const count = Number(rows[0]?.['deleted'] ?? 0);
    deleted += count;
    if (count < step) break;
  }
  return deleted;
}
