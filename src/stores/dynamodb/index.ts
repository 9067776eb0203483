/**
 * Claims in DynamoDB, and writes to other items in one transaction with the completion.
 *
 * @module batchlatch/dynamodb
 */
export { commit, type CommitOptions } from './commit.ts';
export { CommitItemsError, type CommitRefusal, CommitRefusedError } from './commit-errors.ts';
export type {
  CommitConditionCheck,
  CommitDelete,
  CommitItem,
  CommitPut,
  CommitUpdate,
  CommitValues,
} from './commit-item.ts';
export type { DynamoDBStoreOptions } from './claims-table.ts';
export { dynamoDBAdmin, type DynamoDBAdminOptions } from './dynamodb-admin.ts';
export { dynamoDBStore } from './dynamodb-store.ts';
export type { OverdueIndexOptions } from './overdue-index.ts';
export {
  claimsTableDefinition,
  type ClaimsTableDefinition,
  type ClaimsTableOptions,
} from './table-definition.ts';
export type { AttributeNames, RowFormat } from './row.ts';
