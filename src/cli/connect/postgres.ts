import type { PostgresPool } from '../../stores/postgres/index.ts';
import { UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Surroundings } from '../surroundings.ts';
import { loadPeer } from './load-peer.ts';

/** Which PostgreSQL; `true`: the one that the environment names. */
export interface PostgresOptions {
  readonly postgres?: string | true;
}

interface PoolOfPg extends PostgresPool {
  on(event: 'error', listener: (error: Error) => void): unknown;
  end(): Promise<void>;
}

interface Pg {
  readonly Pool: new (config: Readonly<Record<string, unknown>>) => PoolOfPg;
}

/** Opens the PostgreSQL that the options name for `use`, by the `pg` of the user's project. */
export async function withPostgres<Result>(
  context: Context,
  { postgres }: PostgresOptions,
  use: (pool: PostgresPool) => Promise<Result>,
): Promise<Result> {
  const target = targetOf(postgres, context.env);
  const { Pool } = loadPeer(['pg']).module as Pg;
  const pool = new Pool({
    ...target,
    max: 2,
    connectionTimeoutMillis: 5_000,
    // By the client: a pooler refuses a connection that sets it on the server.
    query_timeout: 60_000,
    application_name: 'batchlatch',
  });
  // A connection that fails while nobody uses it is replaced.
  pool.on('error', ({ message }) => context.screen.detail(`A connection failed: ${message}`));
  try {
    return await use(pool);
  } finally {
    await pool.end();
  }
}

const VARIABLES = {
  PGHOST: 'host',
  PGPORT: 'port',
  PGDATABASE: 'database',
  PGUSER: 'user',
  PGPASSWORD: 'password',
} as const;

/** The option, then DATABASE_URL, then the variables of `psql`. An URL may hold a password, and is never shown. */
function targetOf(postgres: string | true | undefined, env: Surroundings['env']): Record<string, string> {
  const url = typeof postgres === 'string' ? postgres : env['DATABASE_URL'] || undefined;
  if (url !== undefined) {
    if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return { connectionString: url };
    throw new UsageError(
      typeof postgres === 'string'
        ? 'After --postgres comes the URL of a database, such as postgres://user@host:5432/name, or nothing: put other words before it.'
        : 'DATABASE_URL must be the URL of a database, such as postgres://user@host:5432/name.',
    );
  }
  const named = Object.entries(VARIABLES).flatMap(([variable, member]) => {
    const value = env[variable];
    return value === undefined || value === '' ? [] : [[member, value] as const];
  });
  if (named.length > 0) return Object.fromEntries(named);
  throw new UsageError(
    'No PostgreSQL is named: add a URL after --postgres, or set DATABASE_URL, or PGHOST and what else `psql` reads.',
  );
}
