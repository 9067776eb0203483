import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { type PostgresServer, startPostgres } from './postgres.ts';
import { runCommand } from './run-command.ts';

/** The standby's name in `synchronous_standby_names`. */
export const STANDBY = 'standby';

export interface PostgresStandby extends PostgresServer {
  /** Makes it a primary, which takes writes. */
  promote(): Promise<void>;
}

/** Starts a streaming replica. The primary is shut down for a moment, so that its data can be copied. */
export async function startStandby(
  primary: PostgresServer,
  /** The way by which it gets the primary's log. */
  { endpoint = primary.endpoint }: { readonly endpoint?: string } = {},
): Promise<PostgresStandby> {
  const { hostname, port } = new URL(endpoint);
  const server = await startPostgres({
    async fill(dataFolder) {
      await primary.shutDown();
      await runCommand('cp', ['-a', primary.dataFolder, dataFolder]);
      await primary.startAgain();
      await writeFile(join(dataFolder, 'standby.signal'), '');
    },
    settings: {
      primary_conninfo: `host=${hostname} port=${port} user=postgres application_name=${STANDBY}`,
      wal_retrieve_retry_interval: '100ms',
    },
  });
  return {
    ...server,
    async promote() {
      const client = new Client({ connectionString: server.endpoint });
      await client.connect();
      try {
        await client.query('SELECT pg_promote()');
      } finally {
        await client.end();
      }
    },
  };
}
