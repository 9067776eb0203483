import { builtIn } from './built-in.ts';
import { isObject } from './is-object.ts';

/**
 * The base of every error this library throws or reports. Tell them apart by `code`: it is stable, and
 * it works when a bundle holds two copies of the package, where `instanceof` does not. `docs/errors.md`
 * has a heading per code.
 */
export class BatchlatchError extends Error {
  /** Stable, upper case, starts with `BATCHLATCH_`. */
  readonly code: string;

  /**
   * For the errors of this package.
   *
   * @param code One of the headings of `docs/errors.md`.
   * @param message What was wrong, and what to do.
   * @param options What made it fail, as its `cause`.
   */
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/**
 * The options, the environment or the set-up cannot work. Thrown at start wherever it can be known then. Code:
 * `BATCHLATCH_CONFIGURATION`.
 */
export class ConfigurationError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param message Which option, what was expected, and what was given.
   * @param options What made it fail, as its `cause`.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_CONFIGURATION', message, options);
  }
}

/**
 * A claim store could not do what it was asked for one claim or for a whole call. `isRetryable` says whether the same
 * call may succeed later without a change. Code: `BATCHLATCH_STORE`, or one that says more, such as
 * `BATCHLATCH_NOT_A_CLAIM`.
 */
export class StoreError extends BatchlatchError {
  /** Whether the same call may succeed later without a change. */
  readonly isRetryable: boolean;

  /**
   * Made by stores, also by stores of your own.
   *
   * @param message What failed.
   * @param options Whether a retry may help, what made it fail as its `cause`, and a code other than
   *   `BATCHLATCH_STORE`.
   */
  constructor(message: string, options: { cause?: unknown; isRetryable: boolean; code?: string }) {
    super(options.code ?? 'BATCHLATCH_STORE', message, { cause: options.cause });
    this.isRetryable = options.isRetryable;
  }
}

/** Whether `error` carries this stable code; works across copies of the package, and on whatever was thrown. */
export function hasCode(error: unknown, code: string): boolean {
  try {
    return isObject(error) && 'code' in error && error.code === code;
  } catch {
    return false; // a revoked proxy, a getter that throws
  }
}

/** Whether the store may answer otherwise later; where an error does not say, it may. */
export function mayPass(error: unknown): boolean {
  return !isObject(error) || !('isRetryable' in error) || error.isRetryable !== false;
}

/** Also an error of another realm, as a sandbox of tests makes it, and the abort of a `fetch` there. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error || builtIn('node:util').types.isNativeError(value)) return true;
  return Object.prototype.toString.call(value) === '[object DOMException]';
}
