import { aString, type Check, checkOptionsOf } from '../../options/check-options.ts';
import { DEFAULT_TABLE, quoted, quotedTable } from './table-name.ts';

/** Options of `claimsTableSql()`. */
export interface ClaimsTableSqlOptions {
  /** The table, or `schema.table`; the schema has to be there. Default: `batchlatch_claims`. */
  readonly table?: string;
}

const checks: Readonly<Record<keyof ClaimsTableSqlOptions, Check>> = { table: aString() };

/**
 * Returns the statements that create the claims table and its indexes, for a migration or for `psql`.
 * Existing tables and indexes stay unchanged. Throws a `ConfigurationError` for a name that cannot be a
 * table's.
 *
 * @param options The name of the table.
 *
 * @example
 * await pool.query(claimsTableSql());
 */
export function claimsTableSql(options: ClaimsTableSqlOptions = {}): string {
  checkOptionsOf('claimsTableSql', options, checks);
  const { table = DEFAULT_TABLE } = options;
  const quotedName = quotedTable(table);
  const name = table.split('.').at(-1);
  const openIndex = `CREATE INDEX IF NOT EXISTS ${quoted(`${name}_open`)} ON ${quotedName}`;
  return `CREATE TABLE IF NOT EXISTS ${quotedName} (
  key text COLLATE "C" PRIMARY KEY,
  status text NOT NULL CHECK (split_part(status, '@', 1) IN ('IN_PROGRESS', 'COMPLETED', 'FAILED', 'PARKED')),
  owner text NOT NULL,
  attempt integer NOT NULL,
  releases integer NOT NULL DEFAULT 0,
  crashes integer NOT NULL DEFAULT 0,
  started boolean,
  took_over boolean NOT NULL DEFAULT false,
  lease_until timestamptz NOT NULL,
  expires_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  claimed_at timestamptz,
  completed_at timestamptz,
  payload_hash text,
  locked_by text,
  record_id text,
  result text,
  error jsonb,
  history jsonb
);
${openIndex} (status, lease_until, key) WHERE status <> 'COMPLETED';
CREATE INDEX IF NOT EXISTS ${quoted(`${name}_expires`)} ON ${quotedName} (expires_at);
`;
}
