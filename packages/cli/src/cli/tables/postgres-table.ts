import { doctorPostgres } from '../../doctor/index.ts';
import {
  claimsTableSql,
  deleteForgottenClaims,
  type PostgresPool,
  type SqlConnection,
} from 'batchlatch/postgres';
import { quotedTable } from '../../doctor/servers/doctor-postgres.ts';
import { onConnection } from '../../tool-base/on-connection.ts';
import { ask, assertCanAsk, type Consent } from '../ask.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { postgresTableOf } from '../connect/claims.ts';
import { type PostgresOptions, withPostgres } from '../connect/postgres.ts';
import type { Context } from '../context.ts';
import { showReport } from '../doctor/report.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import { plural } from '../print/plural.ts';
import { sentence } from '../../tool-base/known-errors.ts';

/** The options of tables in PostgreSQL. */
export interface PostgresTableOptions extends PostgresOptions {
  readonly table?: string;
}

/** Prints the SQL of `table create --print`, for a migration or `psql`. */
export function printPostgresTable({ screen }: Context, options: PostgresTableOptions): 0 {
  const table = postgresTableOf(options);
  const sql = claimsTableSql({ table });
  if (screen.isJson) screen.json({ table, sql });
  else screen.text(sql.trimEnd());
  return 0;
}

/** Runs `table create --postgres`. It can be run again: existing parts stay unchanged. */
export function createPostgresTable(
  context: Context,
  options: PostgresTableOptions & Consent,
): Promise<0 | 1> {
  const { screen } = context;
  const table = postgresTableOf(options);
  const sql = claimsTableSql({ table });
  assertCanAsk(options, context);
  return withPostgres(context, options, async (pool) => {
    const before = await doctorPostgres({ pool, table, now: context.now });
    const codes = new Set(before.findings.map(({ code }) => code));
    const isMissing = codes.has('postgres-table-missing');
    const steps = isMissing ? ['create'] : codes.has('postgres-index-missing') ? ['indexes'] : [];
    if (steps.length === 0) return end('is there already, with its indexes');
    if (options.dryRun === true || options.yes !== true) {
      screen.note(`Table ${escapeControls(table)}:`);
      screen.note(isMissing ? '  create it, with its indexes' : '  create the indexes that it lacks');
    }
    if (options.dryRun === true) return end('was not changed: this was a dry run', []);
    if (options.yes !== true && !(await ask('Do this?', context))) {
      screen.note('Nothing was changed.');
      return 1;
    }
    await createIn(pool, sql, table);
    return end('is ready');

    function end(words: string, done: readonly string[] = steps): 0 {
      if (screen.isJson) screen.json({ table, done });
      else screen.line(`Table ${escapeControls(table)} ${words}.`);
      return 0;
    }
  });
}

/** Runs the statements one by one. After a failure, another run does the rest. */
async function createIn(pool: PostgresPool, sql: string, table: string): Promise<void> {
  const texts = sql.split(/;\n/).filter((one) => one.trim() !== '');
  const create = async (client: SqlConnection): Promise<void> => {
    for (const text of texts) await client.query({ text, values: [] });
    // `IF NOT EXISTS` leaves an index that is not valid as it is.
    const { rows } = await client.query({ text: INVALID_INDEXES, values: [quotedTable(table)] });
    for (const { name } of rows) await client.query({ text: `REINDEX INDEX ${String(name)}`, values: [] });
  };
  try {
    await onConnection(pool, create, texts.length * LONGEST_STATEMENT_MS);
  } catch (error) {
    throw new CliError(whyNotCreated(error), { cause: error });
  }
}

/** The names are quoted where they have to be. */
const INVALID_INDEXES = `
SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = to_regclass($1) AND NOT indisvalid`;

/** The limit of one statement: an index is built row by row. The pool's own limit is the same. */
const LONGEST_STATEMENT_MS = 60_000;

function whyNotCreated(error: unknown): string {
  const { code, message = '' } = error as Partial<NodeJS.ErrnoException>;
  if (code === '42501') {
    return (
      `The role may not create the table: ${sentence(message)} GRANT CREATE on the schema ` +
      'to the role, or use --print and run the statements as another role.'
    );
  }
  if (code === '3F000') {
    return `${sentence(message)} Create the schema first, or leave it out of --table.`;
  }
  return `PostgreSQL could not create the table: ${sentence(message)}`;
}

/** Runs `table check --postgres`. */
export function checkPostgresTable(context: Context, options: PostgresTableOptions): Promise<0 | 1> {
  const table = postgresTableOf(options);
  return withPostgres(context, options, async (pool) =>
    showReport(await doctorPostgres({ pool, table, now: context.now }), context),
  );
}

/** Runs `table clean --postgres`. */
export function cleanPostgresTable(
  context: Context,
  options: PostgresTableOptions & { readonly limit: number },
): Promise<0 | 1> {
  const { screen, signal } = context;
  const table = postgresTableOf(options);
  if (options.postgres === undefined) {
    throw new UsageError(
      'Only tables of PostgreSQL need cleaning: add --postgres. DynamoDB and ' +
        'Redis delete claims past their retention by themselves.',
    );
  }
  return withPostgres(context, options, async (pool) => {
    let deleted = 0;
    let last = AT_ONCE;
    while (last === AT_ONCE && deleted < options.limit && !signal.aborted) {
      const limit = Math.min(AT_ONCE, options.limit - deleted);
      try {
        last = await deleteForgottenClaims({ pool, table, limit, signal });
      } catch (error) {
        screen.progress(undefined);
        if (deleted > 0) screen.note(`Deleted ${plural(deleted, 'row')} before this error:`);
        throw error;
      }
      deleted += last;
      screen.progress(`${plural(deleted, 'row')} deleted …`);
    }
    screen.progress(undefined);
    const isWhole = last < AT_ONCE && deleted < options.limit && !signal.aborted;
    if (screen.isJson) screen.json({ table, deleted, isWhole });
    else {
      screen.line(
        `Deleted ${plural(deleted, 'row')} of table ${escapeControls(table)} that were past their retention.`,
      );
      if (!isWhole) screen.note('There may be more: run it again, or raise --limit.');
    }
    return 0 as const;
  });
}

/** The rows of one transaction, after which progress is shown. */
const AT_ONCE = 1_000;
