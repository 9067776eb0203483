import type { ClaimStore } from '../../claims/claim-store.ts';
import { ConfigurationError } from '../../claims/errors.ts';
import { dynamoDBStore } from './dynamodb-store.ts';
import { defaultAttributeNames, rowFormat } from './row.ts';

/**
 * The store where nobody names one: DynamoDB, in the table that `CLAIMS_TABLE_NAME` names. Without the variable it
 * throws a `ConfigurationError` in Lambda, and elsewhere its first call rejects with one.
 */
export function dynamoDBStoreFromEnvironment(): ClaimStore {
  const store = fromEnvironmentStore((made) => made as Required<ClaimStore>);
  return {
    maxResultBytes: rowFormat(defaultAttributeNames).maxResultBytes,
    acquire: async (...call) => store().acquire(...call),
    settle: async (...call) => store().settle(...call),
    extend: async (...call) => store().extend(...call),
    start: async (...call) => store().start(...call),
    commit: async (...call) => store().commit(...call),
    inspect: async (...call) => store().inspect(...call),
  };
}

/**
 * What is made of that store, once: now, where the table is named, and in Lambda, where a missing name should end
 * the start and not the first event. Elsewhere when it is first asked for: a test imports a handler's module before
 * it sets the environment up, or without ever running it.
 */
export function fromEnvironmentStore<Made>(make: (store: ClaimStore) => Made): () => Made {
  const makeNow = (): Made => make(dynamoDBStore({ tableName: claimsTableName() }));
  let made = isNamed('CLAIMS_TABLE_NAME') || isNamed('AWS_LAMBDA_FUNCTION_NAME') ? makeNow() : undefined;
  return () => (made ??= makeNow());
}

function claimsTableName(): string {
  const tableName = process.env['CLAIMS_TABLE_NAME'] ?? '';
  if (tableName === '') {
    throw new ConfigurationError(
      'There is nowhere to keep claims: set CLAIMS_TABLE_NAME to the claims table (template.yaml does), ' +
        'or pass `store`, in tests for example `memoryStore()` of batchlatch/memory',
    );
  }
  return tableName;
}

function isNamed(variable: string): boolean {
  return (process.env[variable] ?? '') !== '';
}
