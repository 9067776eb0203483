import { BatchlatchError, hasCode } from '../base/errors.ts';

const PERMANENT = 'BATCHLATCH_PERMANENT';
const RETRY_LATER = 'BATCHLATCH_RETRY_LATER';
export const INVALID_BODY = 'BATCHLATCH_INVALID_BODY';
/** From `startDurable`: the execution of the key was started with another payload. */
export const EXECUTION_MISMATCH = 'BATCHLATCH_EXECUTION_MISMATCH';

/**
 * Thrown by a handler when no retry can help. The claim is parked. Code: `BATCHLATCH_PERMANENT`.
 *
 * @remarks Fix the cause, then release the claim: docs/operations/release.md.
 */
export class PermanentError extends BatchlatchError {
  override name = 'PermanentError';
  /**
   * Creates the error in a handler.
   *
   * @param message Why no retry can help. Rows, dead letters and log lines keep its first 512 characters.
   * @param options The cause.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super(PERMANENT, message, options);
  }
}

/** Returns whether no retry helps. Compares codes, so errors of another copy of this package count too. */
export function isPermanent(error: unknown): boolean {
  return hasCode(error, PERMANENT) || isInvalidBody(error) || hasCode(error, EXECUTION_MISMATCH);
}

export function isInvalidBody(error: unknown): boolean {
  return hasCode(error, INVALID_BODY);
}

/**
 * The key was claimed `maxAttempts` times without success, and is parked. Crashes count; released and
 * unstarted claims do not. Code: `BATCHLATCH_TOO_MANY_ATTEMPTS`.
 *
 * @remarks Fix the cause, then release the claim.
 */
export class TooManyAttemptsError extends BatchlatchError {
  override name = 'TooManyAttemptsError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param maxAttempts The option `maxAttempts`.
   */
  constructor(maxAttempts: number) {
    super(
      'BATCHLATCH_TOO_MANY_ATTEMPTS',
      `All ${maxAttempts} attempts (maxAttempts) ended without success: ` +
        'fix the cause, then release the claim',
    );
  }
}

/**
 * The last attempt crashed and may have done its work. The key is parked. Code: `BATCHLATCH_LAPSED_LEASE`.
 *
 * @remarks If the work was done, resolve the claim, otherwise release it: docs/operations/list.md.
 */
export class LapsedLeaseError extends BatchlatchError {
  override name = 'LapsedLeaseError';
  /** Created by batchlatch; public for tests. */
  constructor() {
    super(
      'BATCHLATCH_LAPSED_LEASE',
      "The last attempt crashed and may have done its work (onLapsedLease: 'park'): find out, then resolve " +
        'or release the claim',
    );
  }
}

/**
 * The key was used before with another payload (`payloadValidation`). Nothing was run. Over HTTP: 422. Code:
 * `BATCHLATCH_MISMATCH`.
 *
 * @remarks Make more of the payload part of the key.
 */
export class MismatchError extends BatchlatchError {
  override name = 'MismatchError';
  /** Created by batchlatch; public for tests. */
  constructor() {
    super(
      'BATCHLATCH_MISMATCH',
      'This idempotency key was used before with another payload: use another key',
    );
  }
}

/**
 * The handler succeeded, but the store did not take its completion in time (docs/policies/store-outages.md).
 * It may run again. Code: `BATCHLATCH_COMPLETION_NOT_STORED`.
 *
 * @remarks Restore the store. `error.result` has the function's result.
 */
export class CompletionNotStoredError extends BatchlatchError {
  override name = 'CompletionNotStoredError';
  readonly #result: unknown;

  /**
   * Created by batchlatch; public for tests.
   *
   * @param end The store's error as the `cause`, and the result of the effect.
   */
  constructor({ cause, result }: { cause: unknown; result?: unknown }) {
    super(
      'BATCHLATCH_COMPLETION_NOT_STORED',
      'The effect is done, but its completion could not be stored, so it may run again: see the cause',
      {
        cause,
      },
    );
    this.#result = result;
  }

  /** The result of the effect, if a caller waits for it. An accessor, so that loggers do not print it. */
  get result(): unknown {
    return this.#result;
  }
}

/**
 * Thrown by a handler that cannot do its work yet, because of a rate limit, say. The attempt counts towards
 * `maxAttempts`. Code: `BATCHLATCH_RETRY_LATER`.
 *
 * @remarks Set `visibility`: an SQS message then comes again after `delayMs`.
 */
export class RetryLaterError extends BatchlatchError {
  override name = 'RetryLaterError';
  /** How long the handler wants to wait, in milliseconds. */
  readonly delayMs: number;

  /**
   * Creates the error in a handler.
   *
   * @param when How long to wait, in milliseconds, and the `cause`.
   * @throws `RangeError` if `delayMs` is not a finite number from 0 up.
   */
  constructor({ delayMs, cause }: { readonly delayMs: number; readonly cause?: unknown }) {
    if (!Number.isFinite(delayMs) || delayMs < 0) {
      throw new RangeError(
        `Expected \`delayMs\` to be a number of milliseconds from 0 up, got \`${delayMs}\``,
      );
    }
    super(RETRY_LATER, `The handler asks to be called again in ${delayMs} ms`, { cause });
    this.delayMs = delayMs;
  }
}

/** Returns the delay of a `RetryLaterError`, also of another copy of this package. */
export function retryLaterMs(error: unknown): number | undefined {
  if (!hasCode(error, RETRY_LATER)) return undefined;
  const { delayMs } = error as Partial<RetryLaterError>;
  return typeof delayMs === 'number' && delayMs >= 0 ? delayMs : undefined;
}

/**
 * Attempts crashed `maxCrashes` times in a row, out of memory or time, say. The key is parked. Code:
 * `BATCHLATCH_TOO_MANY_CRASHES`.
 *
 * @remarks Fix the cause, then release the claim.
 */
export class TooManyCrashesError extends BatchlatchError {
  override name = 'TooManyCrashesError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param maxCrashes The option `maxCrashes`.
   */
  constructor(maxCrashes: number) {
    super(
      'BATCHLATCH_TOO_MANY_CRASHES',
      `${maxCrashes} attempts in a row (maxCrashes) were killed, or outlived their lease: ` +
        'find out which, then release the claim',
    );
  }
}

/**
 * `commit` or `inTransaction` was called during or after another commit, after the handler's end, or without
 * a claim. Code: `BATCHLATCH_COMMIT_NOT_ALLOWED`.
 *
 * @remarks Commit once per run, and await it.
 */
export class CommitNotAllowedError extends BatchlatchError {
  override name = 'CommitNotAllowedError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param because The reason: `pending`, `stored`, `failed`, `ended` or `unclaimed`.
   */
  constructor(because: keyof typeof WHY_NOT) {
    super('BATCHLATCH_COMMIT_NOT_ALLOWED', `Nothing else can be committed in this run: ${WHY_NOT[because]}`);
  }
}

/**
 * The result given to `commit` or `inTransaction` cannot be the key's answer. Code:
 * `BATCHLATCH_COMMIT_RESULT`.
 *
 * @remarks Return a result that can be stored.
 */
export class CommitResultError extends BatchlatchError {
  override name = 'CommitResultError';
  constructor(problem: string) {
    super(
      'BATCHLATCH_COMMIT_RESULT',
      `Nothing was committed, because its result cannot be stored: ${problem}`,
    );
  }
}

const WHY_NOT = {
  pending: 'another commit is in progress; await it',
  stored: 'its commit is already written; commit once',
  failed: 'its claim is lost, or an earlier commit got no answer and may be written; throw',
  ended: 'the handler has ended; commit before it returns',
  unclaimed: 'it has no claim (onStoreError: runWithoutClaim()); throw, so that it comes again',
} as const;
