import { ConfigurationError } from '../../base/errors.ts';

/**
 * What is made of the table that `CLAIMS_TABLE_NAME` names, once: now, where it is named, and in Lambda, where a missing
 * name should end the start and not the first event. Elsewhere when it is first asked for: a test imports a handler's
 * module before it sets the environment up, or without ever running it. Without the variable it throws a
 * `ConfigurationError` then.
 */
export function whenTableIsNamed<Made>(make: (tableName: string) => Made): () => Made {
  const makeNow = (): Made => make(claimsTableName());
  let made = isNamed('CLAIMS_TABLE_NAME') || isNamed('AWS_LAMBDA_FUNCTION_NAME') ? makeNow() : undefined;
  return () => (made ??= makeNow());
}

function claimsTableName(): string {
  const tableName = process.env['CLAIMS_TABLE_NAME'] ?? '';
  if (tableName === '') {
    throw new ConfigurationError(
      'No claim store is configured: set CLAIMS_TABLE_NAME to the claims table (template.yaml does), ' +
        'or pass `store`, in tests for example `memoryStore()` of batchlatch/memory',
    );
  }
  return tableName;
}

function isNamed(variable: string): boolean {
  return (process.env[variable] ?? '') !== '';
}
