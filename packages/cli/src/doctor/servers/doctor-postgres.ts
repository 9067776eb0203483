import { claimsTableSql, type PostgresPool } from 'batchlatch/postgres';
import { escapeControls } from '../../text/escape-controls.ts';
import type { DoctorReport } from '../finding.ts';
import {
  type ColumnFacts,
  type PostgresFacts,
  readPostgresFacts,
  type TableFacts,
} from './postgres-facts.ts';
import { ServerReport } from './server-report.ts';

/** The claims table to check. */
export interface PostgresTarget {
  readonly pool: PostgresPool;
  /** The claims table: `table` or `schema.table`. Default: `batchlatch_claims`. */
  readonly table?: string;
  /** Default: `Date.now`. */
  readonly now?: () => number;
}

const DEFAULT_TABLE = 'batchlatch_claims';

const OLDEST_VERSION = 130_000;
const MOST_AHEAD_MS = 5_000;
const MOST_FORGOTTEN = 10_000;

/**
 * Finds mistakes in a claims table of PostgreSQL, and in the connection to it. Writes nothing. Throws a
 * `ConfigurationError` for an invalid table name; rejects with the database's error if it cannot be queried.
 */
export async function doctorPostgres({
  pool,
  table = DEFAULT_TABLE,
  now = Date.now,
}: PostgresTarget): Promise<DoctorReport> {
  const sql = claimsTableSql({ table });
  const facts = await readPostgresFacts(pool, quotedTable(table), now);
  const report = new ServerReport(table);
  judgeServer(facts, report);
  if (facts.table === undefined) {
    report.report('postgres-table-missing', {
      message: `The database has no table ${table} that the role ${facts.user} can see.`,
      fix: `npx batchlatch table create --postgres --table ${table}`,
    });
  } else judgeTable({ table, sql }, facts.user, facts.table, report);
  return report.result([`PostgreSQL ${Math.floor(facts.version / 10_000)}`, `table ${table}`]);
}

function judgeServer(facts: PostgresFacts, report: ServerReport): void {
  const { version, settings, aheadMs } = facts;
  if (version < OLDEST_VERSION) {
    report.report('postgres-old', { message: `The server is PostgreSQL ${Math.floor(version / 10_000)}.` });
  }
  if (facts.isReadOnly) {
    report.report('postgres-read-only', { message: 'Transactions of this connection are read-only.' });
  }
  if (settings.fsync === 'off') {
    report.report('postgres-not-durable', { message: '`fsync` is off.' });
  } else if (settings.synchronous_commit === 'off') {
    report.report('postgres-not-durable', {
      severity: 'warning',
      message: '`synchronous_commit` is off: a crash of the server loses up to the last second.',
      fix: 'synchronous_commit = on, or for the role: ALTER ROLE … SET synchronous_commit = on',
    });
  }
  if (Math.abs(aheadMs) > MOST_AHEAD_MS) {
    const seconds = Math.round(Math.abs(aheadMs) / 1_000);
    report.report('postgres-clock-differs', {
      message: `The server's clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine's.`,
    });
  }
  if (!facts.allowsTransactions) {
    report.report('postgres-statement-pooler', { message: 'The connection allows no transaction.' });
  } else if (facts.isPooled) {
    report.report('postgres-pooler', {
      message:
        'The connection leads to a pooler, which lends a connection to the database for each transaction.',
    });
  }
}

/** Judges the table. `sql`: the statements that create it. */
function judgeTable(
  { table, sql }: { readonly table: string; readonly sql: string },
  user: string,
  facts: TableFacts,
  report: ServerReport,
): void {
  const wrong = [...columnTroubles(sql, facts), ...keyTroubles(facts)];
  if (wrong.length > 0) {
    report.report('postgres-table-columns', {
      message: `Table ${table} is not as this version needs it: ${wrong.map(({ what }) => what).join('; ')}.`,
      fix: wrong.map(({ fix }) => `ALTER TABLE ${quotedTable(table)} ${fix};`).join('\n'),
    });
  }
  const missing = indexesIn(sql).filter(({ name }) => !facts.indexes.includes(name));
  if (missing.length > 0) {
    const isInvalid = (name: string): boolean => facts.invalidIndexes.includes(name);
    const names = missing.map(({ name }) => (isInvalid(name) ? `${name} (it is not valid)` : name));
    report.report('postgres-index-missing', {
      message: `Table ${table} lacks the index ${names.join(' and the index ')}.`,
      // `IF NOT EXISTS` would leave an invalid index as it is.
      fix: missing.map(({ name, text }) => (isInvalid(name) ? rebuilding(name, facts) : text)).join('\n'),
    });
  }
  if (!facts.isLogged) {
    report.report('postgres-table-unlogged', {
      message: `Table ${table} is unlogged or temporary.`,
      fix: `ALTER TABLE ${quotedTable(table)} SET LOGGED;`,
    });
  }
  judgeRights(table, user, facts, report);
  if (facts.hasRowSecurity) {
    report.report('postgres-row-security', {
      message: `Policies of row-level security on table ${table} apply to the role ${user}.`,
    });
  }
  if (facts.forgotten === undefined) report.cannotJudge(`table ${table}: its rows may not be read`);
  else if (facts.forgotten > MOST_FORGOTTEN) {
    report.report('postgres-not-cleaned', {
      message: `More than 10,000 rows of table ${table} have been past their retention for a day.`,
      fix: `npx batchlatch table clean --postgres --table ${table}`,
    });
  }
}

function rebuilding(index: string, { schema }: TableFacts): string {
  return `REINDEX INDEX CONCURRENTLY ${escapeControls(quoted(schema))}.${quoted(index)};`;
}

function judgeRights(table: string, user: string, facts: TableFacts, report: ServerReport): void {
  const role = escapeControls(quoted(user));
  const schema = escapeControls(quoted(facts.schema));
  const lacks = facts.lacks.filter((right) => right !== 'DELETE');
  if (facts.lacksSchema || lacks.length > 0) {
    const rights = [...(facts.lacksSchema ? ['USAGE of its schema'] : []), ...lacks];
    report.report('postgres-grant-missing', {
      message: `The role ${user} lacks on table ${table}: ${rights.join(', ')}.`,
      fix: [
        ...(facts.lacksSchema ? [`GRANT USAGE ON SCHEMA ${schema} TO ${role};`] : []),
        ...(lacks.length > 0 ? [`GRANT ${lacks.join(', ')} ON ${quotedTable(table)} TO ${role};`] : []),
      ].join('\n'),
    });
  } else if (facts.lacks.includes('DELETE')) {
    report.report('postgres-grant-missing', {
      severity: 'info',
      message:
        `The role ${user} may not DELETE in table ${table}: enough for ` +
        'functions, and not for `claims forget` and the clean-up.',
      fix: `GRANT DELETE ON ${quotedTable(table)} TO ${role};`,
    });
  }
}

/** Quotes an identifier, so that any name is safe in a statement. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a table name that `claimsTableSql` has accepted. */
export function quotedTable(table: string): string {
  return table.split('.').map(quoted).join('.');
}

interface Trouble {
  readonly what: string;
  readonly fix: string;
}

/** Compares the columns with those of the statements that create the table. */
function columnTroubles(sql: string, { columns }: TableFacts): Trouble[] {
  const there = new Map(columns.map((column) => [column.name, column]));
  const wanted = columnsIn(sql);
  const wrong = wanted.flatMap(({ name, type, definition }): Trouble[] => {
    const column = there.get(name);
    if (column === undefined) return [{ what: `no column ${name}`, fix: `ADD COLUMN ${definition}` }];
    if (sameType(column, type)) return [];
    return [{ what: `${name} is ${column.type} and not ${type}`, fix: `ALTER COLUMN ${name} TYPE ${type}` }];
  });
  const known = new Set(wanted.map(({ name }) => name));
  const others = columns.filter(({ name, isRequired }) => isRequired && !known.has(name));
  return [
    ...wrong,
    ...others.map(({ name }) => ({
      what: `column ${name}, which is not batchlatch's, is NOT NULL without a default`,
      fix: `ALTER COLUMN ${quoted(name)} DROP NOT NULL`,
    })),
  ];
}

function keyTroubles({ primaryKey, columns }: TableFacts): Trouble[] {
  const isKey = primaryKey.length === 1 && primaryKey[0] === 'key';
  const collation = columns.find(({ name }) => name === 'key')?.collation;
  return [
    ...(isKey ? [] : [{ what: 'its primary key is not `key`', fix: 'ADD PRIMARY KEY (key)' }]),
    ...(collation === 'C' || collation === 'POSIX' || collation === undefined
      ? []
      : [{ what: '`key` is not COLLATE "C"', fix: 'ALTER COLUMN key TYPE text COLLATE "C"' }]),
  ];
}

function sameType({ type }: ColumnFacts, wanted: string): boolean {
  const full = wanted === 'timestamptz' ? 'timestamp with time zone' : wanted;
  return type.replace(/\(\d+\)/, '') === full;
}

function columnsIn(
  sql: string,
): { readonly name: string; readonly type: string; readonly definition: string }[] {
  return [...sql.matchAll(/^ {2}((\w+) (\w+)[^\n]*?),?$/gm)].map(
    ([, definition = '', name = '', type = '']) => ({
      name,
      type,
      definition,
    }),
  );
}

function indexesIn(sql: string): { readonly name: string; readonly text: string }[] {
  return [...sql.matchAll(/^CREATE INDEX IF NOT EXISTS ("(?:[^"]|"")+") .*;$/gm)].map(
    ([text, name = '']) => ({
      name: name.slice(1, -1).replaceAll('""', '"'),
      // CONCURRENTLY does not block writes.
      text: text.replace('CREATE INDEX', 'CREATE INDEX CONCURRENTLY'),
    }),
  );
}
