import { systemClock } from '../../base/clock.ts';
import { boundedAdmin } from '../../claims/bounded-admin.ts';
import type { ClaimAdmin } from '../../claims/claim-admin.ts';
import type { StoreCallOptions } from '../../claims/claim-store.ts';
import type { ResultStorage } from '../../claims/result-storage.ts';
import { withResultsIn } from '../rows/result-forms.ts';
import { adminOfRows, type RowsAdmin } from '../rows/admin-of-rows.ts';
import type { ClaimsTable } from './claims-table.ts';
import { rowLister } from './lister.ts';
import { rowOperator } from './operator.ts';
import {
  claimsIn,
  MAX_RESULT_BYTES,
  type PostgresStoreOptions,
  REQUEST_SIZE,
  tableOf,
} from './postgres-store.ts';
import { numberIn } from './row.ts';
import { send } from './sender.ts';
import { milliseconds } from './statements.ts';

/** Options of `postgresAdmin()`: those of the store, and where its long results are. */
export interface PostgresAdminOptions extends PostgresStoreOptions {
  /** The storage that the store has by `resultsIn`, for long results that a person gives. Default: none. */
  readonly results?: ResultStorage;
}

/**
 * Returns the administration of claims in a PostgreSQL table, for `batchlatch/operations`, the monitor
 * and the console. The database's clock decides what is live or overdue. Each call ends within 60
 * seconds. Throws a `ConfigurationError` for options that cannot work.
 *
 * @param options The pool, the table, and how statements are sent, as for `postgresStore`.
 *
 * @example
 * const { count } = await postgresAdmin({ pool }).count({ state: 'parked' });
 */
export function postgresAdmin({ results, ...options }: PostgresAdminOptions): ClaimAdmin {
  const admin = adminOf(tableOf('postgresAdmin', options));
  return boundedAdmin(withResultsIn(results, admin, MAX_RESULT_BYTES, systemClock), systemClock);
}

/** Returns the administration without time limits, for a table whose clock a test may set. */
export function adminOf(table: ClaimsTable): ClaimAdmin {
  const operator = rowOperator(table);
  const lister = rowLister(table);

  async function atDatabaseTime({ signal }: StoreCallOptions = {}): Promise<RowsAdmin> {
    const text = `SELECT ${milliseconds(table.now())} AS now`;
    const { rows } = await send(table, { text, values: [] }, ['SELECT'], signal);
    const now = numberIn(rows[0]?.['now']) ?? 0;
    return adminOfRows({ operator, lister: () => lister, clock: { now: () => now }, clockToleranceMs: 0 });
  }

  return {
    requestSize: REQUEST_SIZE,
    read: claimsIn(table).inspect,
    list: async (query, options) => (await atDatabaseTime(options)).list(query, options),
    count: async (query, options) => (await atDatabaseTime(options)).count(query, options),
    change: async (changes, options) => (await atDatabaseTime(options)).change(changes, options),
    adopt: async (claims, options) => (await atDatabaseTime(options)).adopt(claims, options),
  };
}
