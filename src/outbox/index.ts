/**
 * The outbox: messages that are written in the transaction of an effect, and sent by a relay. A message is
 * sent at least once if its transaction commits, and never if it does not; the consumer's claim drops the
 * second copy within its retention.
 *
 * @module batchlatch/outbox
 */
export {
  MOST_COUNTED,
  type OutboxAdmin,
  type OutboxCallOptions,
  type OutboxChange,
  type OutboxChangeOutcome,
  type OutboxCount,
  type OutboxEntry,
  type OutboxHistoryEntry,
  type OutboxOperation,
  type OutboxPage,
  type OutboxQuery,
  type OutboxState,
} from './outbox-admin.ts';
export type { OutboxMessage } from './outbox-message.ts';
export type { OutboxTarget } from './outbox-target.ts';
export type { RowSender, RowsReport } from './row-sender.ts';
export {
  dynamoDBOutbox,
  type DynamoDBOutbox,
  type DynamoDBOutboxOptions,
  type OutboxPut,
  type OutboxUpdate,
} from './dynamodb-outbox.ts';
export { dynamoDBOutboxAdmin } from './dynamodb-outbox-admin.ts';
export { type OutboxStreamHandler, relay, type RelayContext, type RelayOptions } from './dynamodb-relay.ts';
export { type OutboxSweep, type SweepOptions, sweepOutbox, type SweepReport } from './dynamodb-sweep.ts';
export type { OutboxTableOptions } from './dynamodb-table.ts';
export { outboxTableDefinition, type OutboxTableDefinition } from './dynamodb-table-definition.ts';
export type { OutboxCounts } from './outbox-metrics.ts';
export { outboxTableSql, type OutboxTableSqlOptions } from './outbox-table-sql.ts';
export {
  type OutboxClient,
  postgresOutbox,
  type PostgresOutbox,
  type PostgresOutboxOptions,
  type PreparedMessage,
} from './postgres-outbox.ts';
export { postgresOutboxAdmin, type PostgresOutboxAdminOptions } from './postgres-outbox-admin.ts';
export {
  createOutboxRelay,
  type OutboxRelay,
  type OutboxRelayHealth,
  type OutboxRelayOptions,
} from './postgres-relay.ts';
