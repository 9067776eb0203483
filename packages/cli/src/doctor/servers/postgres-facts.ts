import type { PostgresPool, SqlConnection } from 'batchlatch/postgres';
import { onConnection } from '../../tool-base/on-connection.ts';

/** The facts about a server and its claims table, as the server reports them. */
export interface PostgresFacts {
  /** `server_version_num`, such as 150012. */
  readonly version: number;
  readonly user: string;
  readonly isReadOnly: boolean;
  readonly settings: { readonly fsync: string; readonly synchronous_commit: string };
  /** How far its clock is ahead of this machine's; milliseconds. */
  readonly aheadMs: number;
  /** Whether another server process answers than the one that the client connected to. */
  readonly isPooled: boolean;
  readonly allowsTransactions: boolean;
  /** Undefined if there is no such table. */
  readonly table: TableFacts | undefined;
}

export interface TableFacts {
  readonly schema: string;
  readonly isLogged: boolean;
  readonly hasRowSecurity: boolean;
  readonly columns: readonly ColumnFacts[];
  readonly primaryKey: readonly string[];
  /** The valid indexes. */
  readonly indexes: readonly string[];
  /** Those that a failed or running `CREATE INDEX CONCURRENTLY` has left, which no query uses. */
  readonly invalidIndexes: readonly string[];
  /** The privileges that the role lacks. */
  readonly lacks: readonly string[];
  readonly lacksSchema: boolean;
  /** Rows past their retention for a day, counted up to 10,001; undefined if they cannot be read. */
  readonly forgotten: number | undefined;
}

export interface ColumnFacts {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly collation: string | null;
}

const MOST_FORGOTTEN = 10_001;

/** The limit for all queries; counting the forgotten rows takes longest. */
const LONGEST_READ_MS = 60_000;

/** Reads all facts on one connection. `table` must be quoted. Rejects with the database's error. */
export function readPostgresFacts(
  pool: PostgresPool,
  table: string,
  now: () => number,
): Promise<PostgresFacts> {
  return onConnection(pool, (client) => factsOn(client, table, now), LONGEST_READ_MS);
}

async function factsOn(client: SqlConnection, table: string, now: () => number): Promise<PostgresFacts> {
  const before = now();
  const server = await one(client, SERVER);
  // The server read its clock about halfway through the request.
  const localMs = (before + now()) / 2;
  const { processID } = client as { readonly processID?: unknown };
  return {
    version: Number(server['version']),
    user: String(server['user']),
    isReadOnly: server['read_only'] === true,
    settings: { fsync: String(server['fsync']), synchronous_commit: String(server['synchronous_commit']) },
    aheadMs: Number(server['now']) - localMs,
    isPooled: typeof processID === 'number' && processID !== Number(server['pid']),
    allowsTransactions: await allowsTransactions(client),
    table: await readTable(client, table),
  };
}

const SERVER = `
SELECT current_setting('server_version_num')::int AS version, current_user::text AS user,
  pg_backend_pid() AS pid,
  current_setting('transaction_read_only') = 'on' OR pg_is_in_recovery() AS read_only,
  current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
  (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now`;

/** Returns whether a transaction works: a pooler in statement mode refuses BEGIN, or forgets it. */
async function allowsTransactions(client: SqlConnection): Promise<boolean> {
  try {
    await client.query({ text: 'BEGIN', values: [] });
    const { rows } = await client.query({ text: 'SELECT 1 AS one', values: [] });
    return rows.length === 1;
  } catch {
    return false;
  } finally {
    await client.query({ text: 'ROLLBACK', values: [] }).catch(() => undefined);
  }
}

async function readTable(client: SqlConnection, table: string): Promise<TableFacts | undefined> {
  const { rows } = await client.query({ text: TABLE, values: [table] });
  const [found] = rows;
  if (found === undefined) return undefined;
  const { oid } = found;
  const columns = (await client.query({ text: COLUMNS, values: [oid] })).rows;
  const keys = (await client.query({ text: PRIMARY_KEY, values: [oid] })).rows;
  const indexes = (await client.query({ text: INDEXES, values: [oid] })).rows;
  const lacks = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].filter(
    (right) => found[right.toLowerCase()] !== true,
  );
  return {
    schema: String(found['schema']),
    isLogged: found['persistence'] === 'p',
    hasRowSecurity: found['row_security'] === true,
    columns: columns.map((row) => ({
      name: String(row['name']),
      type: String(row['type']),
      isRequired: row['required'] === true,
      collation: typeof row['collation'] === 'string' ? row['collation'] : null,
    })),
    primaryKey: keys.map(({ name }) => String(name)),
    indexes: indexes.filter(({ valid }) => valid === true).map(({ name }) => String(name)),
    invalidIndexes: indexes.filter(({ valid }) => valid !== true).map(({ name }) => String(name)),
    lacks,
    lacksSchema: found['usage'] !== true,
    forgotten: await countForgotten(client, table),
  };
}

const TABLE = `
SELECT c.oid::int8::text AS oid, n.nspname::text AS schema, c.relpersistence::text AS persistence,
  row_security_active(c.oid) AS row_security, has_schema_privilege(n.oid, 'USAGE') AS usage,
  has_table_privilege(c.oid, 'SELECT') AS select, has_table_privilege(c.oid, 'INSERT') AS insert,
  has_table_privilege(c.oid, 'UPDATE') AS update, has_table_privilege(c.oid, 'DELETE') AS delete
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass($1) AND c.relkind IN ('r', 'p')`;

const COLUMNS = `
SELECT a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type,
  a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS required, l.collname::text AS collation
FROM pg_attribute AS a LEFT JOIN pg_collation AS l ON l.oid = a.attcollation
WHERE a.attrelid = $1::oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;

const PRIMARY_KEY = `
SELECT a.attname::text AS name
FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
WHERE i.indrelid = $1::oid AND i.indisprimary AND i.indisvalid`;

const INDEXES = `
SELECT c.relname::text AS name, i.indisvalid AS valid
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE i.indrelid = $1::oid`;

/** Counts rows past their retention, no more than needed for the finding. */
async function countForgotten(client: SqlConnection, table: string): Promise<number | undefined> {
  const text =
    `SELECT count(*)::int AS rows FROM (SELECT FROM ${table} ` +
    `WHERE expires_at < statement_timestamp() - interval '1 day' LIMIT ${MOST_FORGOTTEN}) AS forgotten`;
  try {
    return Number((await one(client, text))['rows']);
  } catch {
    return undefined; // no privilege or no such column; other findings report these
  }
}

async function one(client: SqlConnection, text: string): Promise<Readonly<Record<string, unknown>>> {
  const { rows } = await client.query({ text, values: [] });
  return rows[0] ?? {};
}
