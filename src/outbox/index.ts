/**
 * Messages that are written in the transaction of their effect, and sent after it.
 *
 * @module batchlatch/outbox
 */
export { dynamoDBOutbox } from './dynamodb-outbox.ts';
export type {
  DynamoDBOutbox,
  DynamoDBOutboxOptions,
  OutboxMessage,
  OutboxPut,
  OutboxTarget,
  OutboxUpdate,
} from './dynamodb-outbox.ts';
export { type OutboxRelay, relay, type RelayContext, type RelayOptions } from './dynamodb-relay.ts';
export { type OutboxSweep, type SweepOptions, sweepOutbox, type SweepReport } from './dynamodb-sweep.ts';
export type { OutboxTableOptions } from './dynamodb-table.ts';
export { outboxTableDefinition, type OutboxTableDefinition } from './dynamodb-table-definition.ts';
export type { OutboxCounts } from './outbox-metrics.ts';
export { OutboxBodyError } from './row-body.ts';
export type { RowSender, RowsReport } from './row-sender.ts';
