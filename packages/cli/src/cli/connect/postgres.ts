import type { PostgresPool } from 'batchlatch/postgres';
import { escapeControls } from '../../text/escape-controls.ts';
import { CliError, UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { ProcessIo } from '../process-io.ts';
import { sentence } from '../../tool-base/known-errors.ts';
import { loadPeer } from './load-peer.ts';

/** The option `--postgres`; `true`: the environment names the database. */
export interface PostgresOptions {
  readonly postgres?: string | true;
}

interface PoolOfPg extends PostgresPool {
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

interface ClientOfPg {
  readonly connection?: { readonly stream?: { destroy?(): void } };
}

interface Pg {
  readonly Pool: new (config: Readonly<Record<string, unknown>>) => PoolOfPg;
  readonly Client: new (config?: Readonly<Record<string, unknown>>) => ClientOfPg;
}

/** Connects to the PostgreSQL that the options name, with the project's `pg`, for `use`. */
export async function withPostgres<Result>(
  context: Context,
  { postgres }: PostgresOptions,
  use: (pool: PostgresPool) => Promise<Result>,
): Promise<Result> {
  const target = targetOf(postgres, context.env);
  const { Pool, Client } = loadPeer(['pg']).module as Pg;
  const clients: ClientOfPg[] = [];
  const pool = new Pool({
    ...target,
    Client: class extends Client {
      constructor(config?: Readonly<Record<string, unknown>>) {
        super(config);
        clients.push(this);
      }
    },
    max: 2,
    connectionTimeoutMillis: 5_000,
    // Set on the client: a pooler refuses a connection that sets `statement_timeout`.
    query_timeout: 60_000,
    application_name: 'batchlatch',
  });
  // The pool replaces an idle connection that fails.
  pool.on('error', ({ message }) => context.screen.detail(`A connection failed: ${escapeControls(message)}`));
  try {
    await connectOnce(pool);
    return await use(pool);
  } finally {
    await pool.end();
    // pg leaves a connection open that failed while it signed in; it would keep the process alive.
    for (const { connection } of clients) connection?.stream?.destroy?.();
  }
}

/** Connects once before the store does, which would retry: a person waits. The pool keeps the connection. */
async function connectOnce(pool: PostgresPool): Promise<void> {
  try {
    (await pool.connect()).release();
  } catch (error) {
    throw new CliError(whyNotConnected(error), { cause: error });
  }
}

function whyNotConnected(error: unknown): string {
  const { code, message, syscall } = error as Partial<NodeJS.ErrnoException>;
  const why = message === undefined || message === '' ? String(code) : message;
  if (syscall === 'open' || code === 'EISDIR') {
    return (
      `A file of the connection to PostgreSQL cannot be read (${why}): ` +
      'check `sslrootcert`, `sslcert` and `sslkey` in the URL.'
    );
  }
  if (/^E[A-Z_]+$/.test(code ?? ''))
    return `PostgreSQL does not answer (${why}): check the host and the port.`;
  if (/timeout/i.test(why)) {
    return (
      'PostgreSQL does not answer within 5 seconds: check the host and ' +
      'the port, and whether this machine may connect to it.'
    );
  }
  if (why.includes('password must be a string')) {
    return 'PostgreSQL asks for a password, and none is given: put it into the URL or into PGPASSWORD.';
  }
  if (/^28|^3D/.test(code ?? '')) {
    return (
      `PostgreSQL does not let the role in: ${sentence(why)} Check ` +
      'the URL, or PGUSER, PGPASSWORD and PGDATABASE.'
    );
  }
  if (/SSL|certificate/i.test(why)) {
    return (
      `No encrypted connection to PostgreSQL: ${sentence(why)} ` +
      'Check `sslmode` and `sslrootcert` in the URL.'
    );
  }
  return `PostgreSQL cannot be used: ${sentence(why)}`;
}

const VARIABLES = {
  PGHOST: 'host',
  PGPORT: 'port',
  PGDATABASE: 'database',
  PGUSER: 'user',
  PGPASSWORD: 'password',
} as const;

/** Reads the option, then DATABASE_URL, then psql's variables. A URL may hold a password: never print it. */
function targetOf(postgres: string | true | undefined, env: ProcessIo['env']): Record<string, string> {
  const url = typeof postgres === 'string' ? postgres : env['DATABASE_URL'] || undefined;
  if (url !== undefined) {
    if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return { connectionString: url };
    throw new UsageError(
      typeof postgres === 'string'
        ? '--postgres takes the URL of a database, such as postgres://user@host:5432/name, or no value: ' +
            'put other arguments before it.'
        : 'DATABASE_URL must be the URL of a database, such as postgres://user@host:5432/name.',
    );
  }
  const named = Object.entries(VARIABLES).flatMap(([variable, member]) => {
    const value = env[variable];
    return value === undefined || value === '' ? [] : [[member, value] as const];
  });
  if (named.length > 0) return Object.fromEntries(named);
  throw new UsageError(
    'No PostgreSQL is named: add a URL after --postgres, or set ' +
      'DATABASE_URL, or PGHOST and the other variables of `psql`.',
  );
}
