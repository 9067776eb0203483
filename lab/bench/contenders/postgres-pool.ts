import { Client, type ClientConfig, Pool } from 'pg';
import { noteRequest } from '../requests-sent.ts';

/** Connections of a process: the default of `pg`. */
const CONNECTIONS = 10;

/** Counts each statement as it is sent, BEGIN and COMMIT too. */
class CountingClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const send = this.query.bind(this) as (...query: unknown[]) => unknown;
    this.query = ((...query: unknown[]) => {
      noteRequest();
      return send(...query);
    }) as Client['query'];
  }
}

const pools = new Map<string, Pool>();

/** The one configuration of everybody on PostgreSQL: the defaults of `pg`. Kept as long as the process, as a warm function keeps it. */
export function sharedPool(endpoint: string): Pool {
  let pool = pools.get(endpoint);
  if (pool === undefined) {
    pool = new Pool({ connectionString: endpoint, max: CONNECTIONS, Client: CountingClient });
    pools.set(endpoint, pool);
  }
  return pool;
}

/** A table's name as names of PostgreSQL are written. */
export function postgresName(tableName: string): string {
  return tableName.replaceAll('-', '_');
}
