import { isObject } from './is-object.ts';

/**
 * The base of every error this library throws or reports. Tell them apart by `code`: it is stable, and
 * it works when a bundle holds two copies of the package, where `instanceof` does not. `docs/errors.md`
 * has a heading per code.
 */
export class BatchlatchError extends Error {
  /** Stable, upper case, starts with `BATCHLATCH_`. */
  readonly code: string;

  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The options, the environment or the set-up cannot work. Thrown at start wherever it can be known then. */
export class ConfigurationError extends BatchlatchError {
  constructor(message: string, options?: { cause?: unknown }) {
    super('BATCHLATCH_CONFIGURATION', message, options);
  }
}

/**
 * A claim store could not do what it was asked for one claim or for a whole call.
 * `isRetryable` says whether the same call may succeed later without a change.
 */
export class StoreError extends BatchlatchError {
  /** Whether the same call may succeed later without a change. */
  readonly isRetryable: boolean;

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
