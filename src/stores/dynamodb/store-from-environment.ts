import type { ClaimStore } from '../../claims/claim-store.ts';
import { ConfigurationError } from '../../claims/errors.ts';
import { dynamoDBStore } from './dynamodb-store.ts';

/** The store where nobody names one. Throws a `ConfigurationError` when `CLAIMS_TABLE_NAME` is not set. */
export function dynamoDBStoreFromEnvironment(): ClaimStore {
  const tableName = process.env['CLAIMS_TABLE_NAME'] ?? '';
  if (tableName === '') {
    throw new ConfigurationError(
      'There is nowhere to keep claims: set CLAIMS_TABLE_NAME to the claims table (template.yaml does), or pass `store`',
    );
  }
  return dynamoDBStore({ tableName });
}
