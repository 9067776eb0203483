import type { OutboxAdmin } from 'batchlatch/outbox';
import { escapeControls } from '../../text/escape-controls.ts';
import type { ConnectionOptions } from '../arguments/common-options.ts';
import { UsageError } from '../cli-error.ts';
import { clockOf } from '../clock.ts';
import type { Context } from '../context.ts';
import { withDynamoDB } from './dynamodb.ts';
import { type PostgresOptions, withPostgres } from './postgres.ts';
import type { RedisOptions } from './redis.ts';
import { outboxTableNameOf } from './table-name.ts';

/** The options that name an outbox. `redis` may come from before the command. */
export interface OutboxOptions extends ConnectionOptions, PostgresOptions, RedisOptions {
  readonly table?: string;
}

/** The outbox that a command reads or changes. */
export interface Outbox {
  readonly admin: OutboxAdmin;
  /** For a person: `outbox orders-outbox`. */
  readonly place: string;
}

/** Opens the outbox for `use`, and closes the connection after it. */
export async function withOutbox<Result>(
  context: Context,
  options: OutboxOptions,
  use: (outbox: Outbox) => Promise<Result>,
  tableOption: '--table' | '--outbox' = '--table',
): Promise<Result> {
  const { postgres, redis } = options;
  if (redis !== undefined) {
    throw new UsageError('An outbox is in DynamoDB or in PostgreSQL: leave --redis out.');
  }
  const { dynamoDBOutboxAdmin, postgresOutboxAdmin } = await import('batchlatch/outbox');
  const placeOf = (table: string): string => `outbox ${escapeControls(table)}`;
  if (postgres !== undefined) {
    const { table = 'batchlatch_outbox' } = options;
    return withPostgres(context, options, async (pool) =>
      use({ admin: postgresOutboxAdmin({ pool, table }), place: placeOf(table) }),
    );
  }
  const tableName = outboxTableNameOf(options.table, context, tableOption);
  return withDynamoDB(context, options, async (client) =>
    use({
      admin: dynamoDBOutboxAdmin({ tableName, client, clock: clockOf(context) }),
      place: placeOf(tableName),
    }),
  );
}
