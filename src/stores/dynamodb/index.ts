export { dynamoDBStore, type DynamoDBStoreOptions } from './dynamodb-store.ts';
export { claimsTableDefinition, type ClaimsTableDefinition } from './table-definition.ts';
export type { AttributeNames, RowFormat } from './row.ts';
