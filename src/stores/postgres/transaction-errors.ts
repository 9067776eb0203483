import { isObject } from '../../base/is-object.ts';
import { mayBeResent } from './failures.ts';
import { ConfigurationError, StoreError } from '../../base/errors.ts';
import { storeSilent } from '../../claims/store-errors.ts';

/** The most causes that are followed. */
const DEEPEST = 8;

/**
 * Rollbacks caused by concurrent transactions: serialization failure, deadlock. Prisma reports both as
 * P2034.
 */
const ROLLED_BACK = /^(40001|40P01|P2034)$/;
/**
 * A lost connection. Node's codes may come from another request of the function: it is rolled back all the
 * same.
 */
const DISCONNECTED = /^(08...|57P0[123]|ECONNRESET|EPIPE|ETIMEDOUT)$/;

/**
 * Returns whether the function may run again after this error. ORMs keep the database's error as the
 * `cause`.
 */
export function mayRunAgain(thrown: unknown): boolean {
  return chainOf(thrown).some((error) => {
    const code = codeOf(error);
    if (ROLLED_BACK.test(code) || DISCONNECTED.test(code)) return true;
    const { message } = error as { readonly message?: unknown };
    // The message of `pg`, which has no code.
    return typeof message === 'string' && message.startsWith('Connection terminated');
  });
}

/** Returns whether the function may run again after an error of a statement of the store. */
export function mayRunAgainAfterOwn(thrown: unknown): boolean {
  return mayRunAgain(thrown) || chainOf(thrown).some(mayBeResent);
}

/**
 * Returns the error of the database or the network inside an ORM's error: the ORM's may quote the values of
 * the statement.
 */
export function innermost(thrown: unknown): unknown {
  const chain = chainOf(thrown);
  const found = chain.find((error) => SQLSTATE.test(codeOf(error))) ?? chain.at(-1) ?? thrown;
  const { originalCode: code, originalMessage } = found as Readonly<Record<string, unknown>>;
  return typeof code === 'string' ? Object.assign(new Error(String(originalMessage)), { code }) : found;
}

/** Prisma's own codes, from P1000 on, have the form of an SQLSTATE. */
const SQLSTATE = /^(?!P[1-9])[0-9A-Z]{5}$/;

/** Returns an error and its causes; Prisma keeps the driver's error in `meta`. */
function chainOf(thrown: unknown): readonly object[] {
  const chain: object[] = [];
  for (let error = thrown; isObject(error) && chain.length < DEEPEST;) {
    chain.push(error);
    const { cause, meta } = error as { readonly cause?: unknown; readonly meta?: unknown };
    error =
      cause ??
      (isObject(meta) ? (meta as { readonly driverAdapterError?: unknown }).driverAdapterError : undefined);
  }
  return chain;
}

/** Returns the code of PostgreSQL, Node or an ORM; Prisma has another name for PostgreSQL's. */
function codeOf(error: object): string {
  const { code, originalCode } = error as { readonly code?: unknown; readonly originalCode?: unknown };
  const known = originalCode ?? code;
  return typeof known === 'string' ? known : '';
}

/* Why a run of the function of inTransaction came to nothing, where the database did not say it. */

export function notBegun(limitMs: number): StoreError {
  return storeSilent(
    `The \`adapter\` of inTransaction had not begun a transaction after ${limitMs / 1_000} seconds: ` +
      `all of its connections are ` +
      'in use (allow more), or PostgreSQL does not answer',
  );
}

export function rolledBack(): StoreError {
  return new StoreError('The transaction was rolled back', { isRetryable: true });
}

export function notCommitted(): StoreError {
  return new StoreError(
    'The transaction was rolled back instead of committed: a statement had failed in it that the ' +
      'function of inTransaction did not ' +
      'wait for. Await every statement',
    { isRetryable: false },
  );
}

export function notRun(): ConfigurationError {
  return new ConfigurationError(
    'The `adapter` of inTransaction has not run the function: its `transaction(body)` has to call ' +
      '`body` and to end as it does',
  );
}

export function notInTransaction(): ConfigurationError {
  return new ConfigurationError(
    'The transaction was over before the claim could be completed in it: the function of ' +
      'inTransaction has sent COMMIT or ' +
      'ROLLBACK itself, or the `query` of its adapter sends statements outside of the transaction. ' +
      'What it committed is not undone',
  );
}

export function otherDatabase(tableName: string): ConfigurationError {
  return new ConfigurationError(
    `The transaction was rolled back: in it, the claim is not in table \`${tableName}\`, where the ` +
      `store has it. ` +
      "The transaction's connection has to lead to the database, and the search_path, of the store's pool",
  );
}
