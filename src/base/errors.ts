import { builtIn } from './built-in.ts';
import { isObject } from './is-object.ts';

/**
 * The base class of all errors that this library throws or reports. Distinguish them by `code`: it is stable,
 * and works if a bundle holds two copies of the package, where `instanceof` fails. `docs/errors.md` explains
 * each code.
 */
export class BatchlatchError extends Error {
  /** The name of the class, also in a minified bundle. A literal in each class: minifying renames classes. */
  override name = 'BatchlatchError';
  /** The stable code, in upper case, starting with `BATCHLATCH_`. */
  readonly code: string;

  /**
   * Creates an error of this package.
   *
   * @param code A heading of `docs/errors.md`.
   * @param message What was wrong, and what to do.
   * @param options The cause.
   */
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/**
 * An option, an environment variable or an expression is invalid. Thrown at start; outside Lambda, a missing
 * store is reported by the first batch, call or request (503). Code: `BATCHLATCH_CONFIGURATION`.
 *
 * @remarks Correct it. In tests, pass `store: memoryStore()`.
 */
export class ConfigurationError extends BatchlatchError {
  override name = 'ConfigurationError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param message Which option, what was expected, and what was given.
   * @param options The cause.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_CONFIGURATION', message, options);
  }
}

/**
 * A claim store failed. More specific errors have codes of their own. Code: `BATCHLATCH_STORE`.
 *
 * @remarks None if `isRetryable`: the record is delivered again. Otherwise fix the cause.
 */
export class StoreError extends BatchlatchError {
  override name = 'StoreError';
  /** Whether the same call may succeed later without a change. */
  readonly isRetryable: boolean;

  /**
   * Created by stores, including your own.
   *
   * @param message What failed.
   * @param options Whether a retry may help, the `cause`, and a code other than `BATCHLATCH_STORE`.
   */
  constructor(message: string, options: { cause?: unknown; isRetryable: boolean; code?: string }) {
    super(options.code ?? 'BATCHLATCH_STORE', message, { cause: options.cause });
    this.isRetryable = options.isRetryable;
  }
}

/** Returns whether an error has this code. Works for any value, and across copies of this package. */
export function hasCode(error: unknown, code: string): boolean {
  try {
    return isObject(error) && 'code' in error && error.code === code;
  } catch {
    return false; // a revoked proxy, or a getter that throws
  }
}

/** Returns whether the store may answer differently later. Unclassified errors may. */
export function mayPass(error: unknown): boolean {
  return !isObject(error) || !('isRetryable' in error) || error.isRetryable !== false;
}

/** Recognises errors of other realms too, such as a test sandbox, and aborts of `fetch` there. */
export function isError(value: unknown): value is Error {
  if (value instanceof Error || builtIn('node:util').types.isNativeError(value)) return true;
  return Object.prototype.toString.call(value) === '[object DOMException]';
}

/** Returns a value as text, also one that has none, such as an object without a prototype. */
export function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be shown as text';
  }
}
