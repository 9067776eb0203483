import type { ClaimStore } from '../../claims/claim-store.ts';
import { objectNumber } from '../../claims/pass-on.ts';
import { isForgotten } from '../../claims/transitions.ts';
import { aBoolean, aString, type Check, checkOptionsOf } from '../../options/check-options.ts';
import { ownersMethods } from '../rows/settle.ts';
import { acquireClaims } from './acquire.ts';
import { type ClaimsTable, claimsTable } from './claims-table.ts';
import { aPool, type PostgresPool } from './pool.ts';
import { readRows } from './read.ts';
import { rowChanger } from './row-writer.ts';
import { toClaim } from './row.ts';
import { storedKey } from './storable.ts';
import { writeEffect } from './transaction-effect.ts';

/** Options of `postgresStore()`. */
export interface PostgresStoreOptions {
  /**
   * A `Pool` of `pg`, or an object with the same methods. It needs a connection for each batch that runs
   * at the same time, and a listener to its `error` event: without one, a failure of an idle connection
   * ends the process.
   */
  readonly pool: PostgresPool;
  /**
   * The claims table, which `claimsTableSql()` makes: `table` or `schema.table`. Default:
   * `batchlatch_claims`.
   */
  readonly table?: string;
  /**
   * Whether each connection prepares the statements, which spares the server their analysis for each
   * batch. Only for connections to PostgreSQL itself, or to a pooler that keeps prepared statements
   * (PgBouncer 1.21 and later); RDS Proxy would pin its sessions. Default: false.
   */
  readonly prepare?: boolean;
}

const checks: Readonly<Record<keyof PostgresStoreOptions, Check>> = {
  pool: aPool,
  table: aString(),
  prepare: aBoolean(),
};

/**
 * Claims in a PostgreSQL table: one statement acquires a batch of any size, and one settles it. The
 * database's clock decides leases. Nothing is kept in a session, so the pool may lead to PgBouncer in
 * transaction mode or to RDS Proxy. Throws a `ConfigurationError` for options that cannot work.
 *
 * @param options The pool, the table, and how statements are sent.
 *
 * @example
 * const pool = new Pool({ max: 4 });
 * pool.on('error', (error) => console.warn(error.message));
 * createBatchProcessor(handler, { store: postgresStore({ pool }) });
 */
export function postgresStore(options: PostgresStoreOptions): ClaimStore {
  return claimsIn(tableOf('postgresStore', options));
}

/**
 * The table of the options. Throws a `ConfigurationError` that names the factory for options that cannot
 * work.
 */
export function tableOf(factory: string, options: PostgresStoreOptions): ClaimsTable {
  checkOptionsOf(factory, options, checks);
  const { pool, table: tableName, prepare } = options;
  return claimsTable({ pool, tableName, prepare });
}

/** A batch of any size is one statement each way, up to this limit. */
export const REQUEST_SIZE = 10_000;

/** A row could hold more, but claims are not for files: use `resultsIn` for longer results. */
export const MAX_RESULT_BYTES = 1_048_576;

type TableStore = ClaimStore & Required<Pick<ClaimStore, 'start' | 'commit'>>;

export function claimsIn(table: ClaimsTable): TableStore {
  return {
    requestSize: REQUEST_SIZE,
    maxResultBytes: MAX_RESULT_BYTES,
    place: `postgres:${objectNumber(table.pool)}:${table.table}`,
    acquire: (requests, options) => acquireClaims(requests, table, options?.signal),
    // Durations instead of times: the database adds its own.
    ...ownersMethods({ writer: rowChanger(table), clock: { now: () => 0 } }),
    commit: writeEffect,
    async inspect(key) {
      const stored = storedKey(key);
      const found = (await readRows([stored], table)).get(stored);
      const claim = found && toClaim(found.row);
      return claim === undefined || isForgotten(claim, found?.now ?? 0) ? undefined : claim;
    },
    transacted: { kind: 'postgres', rows: table },
  };
}
