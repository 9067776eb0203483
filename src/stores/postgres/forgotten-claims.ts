import { anInteger, aString, type Check, checkOptionsOf, objectWith } from '../../options/check-options.ts';
import { claimsTable } from './claims-table.ts';
import { aPool, type PostgresPool } from './pool.ts';
import { send } from './sender.ts';

/** Options of `deleteForgottenClaims()`. */
export interface ForgottenClaimsOptions {
  /** A `Pool` of `pg`, or an object with the same methods. */
  readonly pool: PostgresPool;
  /** The claims table. Default: `batchlatch_claims`. */
  readonly table?: string;
  /** The most rows to delete; if a call deletes this many, more may be left. Default: 100,000. */
  readonly limit?: number;
  /** Once aborted, no further step begins. */
  readonly signal?: AbortSignal;
}

const checks: Readonly<Record<keyof ForgottenClaimsOptions, Check>> = {
  pool: aPool,
  table: aString(),
  limit: anInteger(1),
  signal: objectWith('addEventListener'),
};

/** The rows locked by one step, for some milliseconds. */
const ROWS_OF_A_STEP = 1_000;

/**
 * Deletes rows whose retention is over, the oldest first, except rows of a newer format. Each step
 * deletes up to 1,000 rows in its own transaction and skips rows that are locked, so that no attempt
 * waits for more than a step. Returns the number of rows deleted. Call it on a schedule, such as every
 * hour; several calls may run at once. Rejects with a `StoreError`; the steps before it stay committed.
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
