import { Signer } from '@aws-sdk/rds-signer';
import { Pool } from 'pg';

/**
 * Where the claims and the orders are: `PGHOST`, `PGPORT`, `PGDATABASE` and `PGUSER` say it. With `DATABASE_USES_IAM` the function's role is
 * the password, as RDS Proxy and RDS take it, and the connection is encrypted and its certificate checked.
 */
export function openDatabase({ env = process.env }: { readonly env?: NodeJS.ProcessEnv } = {}): Pool {
  const { PGHOST: hostname = 'localhost', PGPORT = '5432', PGUSER: username = 'orders' } = env;
  const usesIam = env['DATABASE_USES_IAM'] === 'true';
  const port = Number(PGPORT);
  const pool = new Pool({
    host: hostname,
    port,
    user: username,
    ...(usesIam && {
      ssl: true,
      password: () => new Signer({ hostname, port, username }).getAuthToken(),
    }),
    // One for each record that runs, and one for the claims.
    max: 11,
    connectionTimeoutMillis: 5_000,
  });
  pool.on('error', () => undefined); // of a connection that nobody uses: the pool opens another
  return pool;
}
