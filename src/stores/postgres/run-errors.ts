import { ConfigurationError, StoreError } from '../../base/errors.ts';

/* Why a run of the function of inTransaction came to nothing, where the database did not say it. */

export function notBegun(limitMs: number): StoreError {
  return new StoreError(
    `The \`adapter\` of inTransaction had not begun a transaction after ${limitMs / 1_000} seconds: all of its connections are ` +
      'in use, or PostgreSQL does not answer',
    { isRetryable: true, code: 'BATCHLATCH_STORE_SILENT' },
  );
}

export function rolledBack(): StoreError {
  return new StoreError('The transaction was rolled back', { isRetryable: true });
}

export function notRun(): ConfigurationError {
  return new ConfigurationError(
    'The `adapter` of inTransaction has not run the function: its `transaction(body)` has to call `body` and to end as it does',
  );
}

export function notInTransaction(): ConfigurationError {
  return new ConfigurationError(
    'The transaction was over before the claim could be completed in it: the function of inTransaction has sent COMMIT or ' +
      'ROLLBACK itself, or the `query` of its adapter sends statements outside of the transaction. What it committed is not undone',
  );
}

export function otherDatabase(tableName: string): ConfigurationError {
  return new ConfigurationError(
    `The transaction was rolled back: in it, the claim is not in table \`${tableName}\`, where the store has it. ` +
      "The transaction's connection has to lead to the database, and the search_path, of the store's pool",
  );
}
