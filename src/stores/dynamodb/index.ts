export { dynamoDBStore, type DynamoDBStoreOptions } from './dynamodb-store.ts';
export {
  powertoolsAttributes,
  powertoolsAttributesNamed,
  type PowertoolsTableOptions,
} from './powertools-attributes.ts';
export { claimsTableDefinition, type ClaimsTableDefinition } from './table-definition.ts';
export type { AttributeNames, RowFormat } from './row.ts';
