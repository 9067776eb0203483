import type { ClaimStore } from '../../claims/claim-store.ts';
import { dynamoDBStore } from './dynamodb-store.ts';
import { refusedInTests } from './refused-in-tests.ts';
import { whenTableIsNamed } from './table-from-environment.ts';

/**
 * The store if none is given: DynamoDB, in the table that `CLAIMS_TABLE_NAME` names; see `whenTableIsNamed`
 * for when it is made, and `refusedInTests` for when it is not used.
 */
export function fromEnvironmentStore<Made>(make: (store: ClaimStore) => Made): () => Made {
  return refusedInTests(whenTableIsNamed((tableName) => make(dynamoDBStore({ tableName }))));
}
