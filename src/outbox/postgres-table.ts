import { hash } from 'node:crypto';
import { type Clock, systemClock } from '../base/clock.ts';
import type { PostgresPool } from '../stores/postgres/pool.ts';
import type { SendingTable } from '../stores/postgres/sender.ts';
import { quoted, quotedTable } from '../stores/postgres/table-name.ts';

export const DEFAULT_OUTBOX = 'batchlatch_outbox';

/** The names of an outbox in statements. */
export interface OutboxNames {
  /** The table with the rows, in quotes. */
  readonly rows: string;
  /** The table with a row for each message group, in quotes. */
  readonly groups: string;
  /** The channel of `NOTIFY`. */
  readonly channel: string;
}

/** An outbox in PostgreSQL, for statements on connections of a pool. */
export interface PostgresOutboxTable extends OutboxNames, SendingTable {
  readonly pool: PostgresPool;
}

/** Throws a `ConfigurationError` for a name that cannot be a table's. */
export function outboxNames(table: string): OutboxNames {
  const rows = quotedTable(table);
  const parts = table.split('.');
  const name = `${parts.pop()}_groups`;
  return {
    rows,
    groups: [...parts, name].map(quoted).join('.'),
    channel: `${DEFAULT_OUTBOX}_${hash('sha256', table).slice(0, 16)}`,
  };
}

interface OutboxTableSetup {
  readonly pool: PostgresPool;
  readonly table?: string | undefined;
  readonly clock?: Clock | undefined;
}

export function postgresOutboxTable({
  pool,
  table: tableName = DEFAULT_OUTBOX,
  clock = systemClock,
}: OutboxTableSetup): PostgresOutboxTable {
  return {
    ...outboxNames(tableName),
    pool,
    tableName,
    clock,
    random: Math.random,
    stopPreparing: () => undefined,
    createdBy: 'outboxTableSql()',
  };
}
