export { dynamoDBStore, type DynamoDBStoreOptions } from './dynamodb-store.ts';
export { claimsTableDefinition, type ClaimsTableDefinition } from './table-definition.ts';
export type { AttributeNames } from './row.ts';
