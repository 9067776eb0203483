import { aString, type Check, checkOptionsOf } from '../options/check-options.ts';
import { quoted } from '../stores/postgres/table-name.ts';
import { DEFAULT_OUTBOX, outboxNames } from './postgres-table.ts';

/** Options of `outboxTableSql()`. */
export interface OutboxTableSqlOptions {
  /** The table, or `schema.table`; the schema has to be there. Default: `batchlatch_outbox`. */
  readonly table?: string;
}

const checks: Readonly<Record<keyof OutboxTableSqlOptions, Check>> = { table: aString() };

/**
 * Returns the statements that create the tables of an outbox and their indexes, for a migration or for
 * `psql`: the rows, and a table with a row for each message group, which relays lock. Existing tables and
 * indexes stay unchanged. Throws a `ConfigurationError` for a name that cannot be a table's.
 *
 * @param options The name of the table.
 *
 * @example
 * await pool.query(outboxTableSql());
 */
export function outboxTableSql(options: OutboxTableSqlOptions = {}): string {
  checkOptionsOf('outboxTableSql', options, checks);
  const { table = DEFAULT_OUTBOX } = options;
  const { rows, groups } = outboxNames(table);
  const name = table.split('.').at(-1);
  const index = (suffix: string): string =>
    `CREATE INDEX IF NOT EXISTS ${quoted(`${name}_${suffix}`)} ON ${rows}`;
  return `CREATE TABLE IF NOT EXISTS ${rows} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  outbox_id text COLLATE "C" NOT NULL,
  state text NOT NULL DEFAULT 'WAITING' CHECK (state IN ('WAITING', 'PARKED', 'DROPPED')),
  message_group text COLLATE "C",
  type text NOT NULL,
  body text NOT NULL,
  attributes json NOT NULL,
  deduplication_id text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  tries integer NOT NULL DEFAULT 0,
  retry_at timestamptz,
  changed_at timestamptz,
  version text NOT NULL DEFAULT '',
  error jsonb,
  history jsonb
);
${index('grouped')} (message_group, id) WHERE message_group IS NOT NULL AND state <> 'DROPPED';
${index('alone')} (id) WHERE message_group IS NULL AND state = 'WAITING';
${index('held')} (message_group) WHERE state = 'PARKED' OR retry_at IS NOT NULL;
${index('changed')} (state, id) WHERE state <> 'WAITING';
CREATE TABLE IF NOT EXISTS ${groups} (name text COLLATE "C" PRIMARY KEY);
`;
}
