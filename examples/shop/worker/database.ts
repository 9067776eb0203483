import { postgresOutbox } from 'batchlatch/outbox';
import { postgresStore } from 'batchlatch/postgres';
import { Pool } from 'pg';
import { dispatches, orders } from '../messages.ts';

/** Connects as `PGHOST`, `PGPORT`, `PGDATABASE`, `PGUSER` and `PGPASSWORD` say. */
export const pool: Pool = new Pool({ max: 20, connectionTimeoutMillis: 5_000 });
pool.on('error', () => undefined); // of a connection that nobody uses: the pool opens another

export const store = postgresStore({ pool });

/** An outbox for each queue: while one queue cannot be reached, the messages of the other are sent. */
export const ordersTable = 'orders_outbox';
export const dispatchesTable = 'dispatches_outbox';
export const ordersOutbox = postgresOutbox({ messages: orders, table: ordersTable });
export const dispatchesOutbox = postgresOutbox({ messages: dispatches, table: dispatchesTable });

/** After a crash, another process takes over a claim when its lease is over. */
export const leaseMs = 5_000;
