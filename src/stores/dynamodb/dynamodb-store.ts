import type { ClaimStore } from '../../claims/claim-store.ts';
import type { DynamoDBStoreOptions } from './claims-table.ts';
import { tableStore } from './table-store.ts';

/**
 * Claims in a DynamoDB table. Throws a `ConfigurationError` for options that cannot work. Without `tableName` and
 * `CLAIMS_TABLE_NAME` it throws one in Lambda; elsewhere its first call rejects with it.
 *
 * @example
 * createBatchProcessor(handler, { store: cached(dynamoDBStore(), { max: 1_000 }) });
 */
export function dynamoDBStore(options: DynamoDBStoreOptions = {}): ClaimStore {
  return tableStore(options);
}
