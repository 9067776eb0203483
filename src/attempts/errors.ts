import { BatchlatchError, hasCode } from '../base/errors.ts';

const PERMANENT = 'BATCHLATCH_PERMANENT';
const RETRY_LATER = 'BATCHLATCH_RETRY_LATER';
export const INVALID_BODY = 'BATCHLATCH_INVALID_BODY';
/** Of `startDurable`: the name of the key's execution was used with another payload. */
export const EXECUTION_MISMATCH = 'BATCHLATCH_EXECUTION_MISMATCH';

/**
 * Thrown by a handler for a record, or a call, that no retry can help: its claim is parked at once. Code:
 * `BATCHLATCH_PERMANENT`.
 */
export class PermanentError extends BatchlatchError {
  /**
   * Made by handlers.
   *
   * @param message Why no retry can help. Rows, dead letters and log lines keep its first 512 characters.
   * @param options What made it fail, as its `cause`.
   */
  constructor(message: string, options?: { cause?: unknown }) {
    super(PERMANENT, message, options);
  }
}

/** By code, so that the errors of another copy of this package count too. */
export function isPermanent(error: unknown): boolean {
  return hasCode(error, PERMANENT) || isInvalidBody(error) || hasCode(error, EXECUTION_MISMATCH);
}

/** The body does not fit the schema: no retry helps. */
export function isInvalidBody(error: unknown): boolean {
  return hasCode(error, INVALID_BODY);
}

/**
 * The key has been claimed `maxAttempts` times without success: it is parked without another run. Code:
 * `BATCHLATCH_TOO_MANY_ATTEMPTS`.
 */
export class TooManyAttemptsError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param maxAttempts The option of that name.
   */
  constructor(maxAttempts: number) {
    super('BATCHLATCH_TOO_MANY_ATTEMPTS', `All ${maxAttempts} attempts (maxAttempts) ended without success`);
  }
}

/**
 * The last attempt died and may have done its work: with `onLapsedLease: 'park'` a person has to look. Code:
 * `BATCHLATCH_LAPSED_LEASE`.
 */
export class LapsedLeaseError extends BatchlatchError {
  /** Made by batchlatch; for tests of code that catches it. */
  constructor() {
    super(
      'BATCHLATCH_LAPSED_LEASE',
      "The lease of the last attempt lapsed, and whether its work was done is not known (onLapsedLease: 'park')",
    );
  }
}

/** The key was used before with another payload. Nothing was run. Code: `BATCHLATCH_MISMATCH`. */
export class MismatchError extends BatchlatchError {
  /** Made by batchlatch; for tests of code that catches it. */
  constructor() {
    super('BATCHLATCH_MISMATCH', 'This idempotency key was used before with another payload');
  }
}

/**
 * The effect is done, but the store did not take its completion: it may run again. Code:
 * `BATCHLATCH_COMPLETION_NOT_STORED`.
 */
export class CompletionNotStoredError extends BatchlatchError {
  readonly #result: unknown;

  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param end What the store failed with, as its `cause`, and what the effect gave.
   */
  constructor({ cause, result }: { cause: unknown; result?: unknown }) {
    super('BATCHLATCH_COMPLETION_NOT_STORED', 'The effect is done, but its completion could not be stored', {
      cause,
    });
    this.#result = result;
  }

  /** What the effect gave, where a caller waits for it. Not a property of its own, so that no logger prints it. */
  get result(): unknown {
    return this.#result;
  }
}

/**
 * Thrown by a handler that cannot do its work yet: a limit of a downstream, something that is not there so far. The
 * attempt failed and counts; with `visibility`, an SQS message comes again after `delayMs` and not by back-off. Code:
 * `BATCHLATCH_RETRY_LATER`.
 */
export class RetryLaterError extends BatchlatchError {
  /** How long the handler wants to wait, in milliseconds. */
  readonly delayMs: number;

  /**
   * Made by handlers.
   *
   * @param when How long to wait, in milliseconds, and what made it fail as its `cause`.
   * @throws `RangeError` for a `delayMs` that is not a finite number from 0 up.
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

/** The delay that a `RetryLaterError`, of this copy of the package or another, asks for. */
export function retryLaterMs(error: unknown): number | undefined {
  if (!hasCode(error, RETRY_LATER)) return undefined;
  const { delayMs } = error as Partial<RetryLaterError>;
  return typeof delayMs === 'number' && delayMs >= 0 ? delayMs : undefined;
}

/**
 * The key's attempts died `maxCrashes` times in a row: it is parked without another run. Code:
 * `BATCHLATCH_TOO_MANY_CRASHES`.
 */
export class TooManyCrashesError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param maxCrashes The option of that name.
   */
  constructor(maxCrashes: number) {
    super(
      'BATCHLATCH_TOO_MANY_CRASHES',
      `${maxCrashes} attempts in a row (maxCrashes) crashed: the process was killed, or the handler outlived its lease`,
    );
  }
}

/**
 * A commit was asked for when nothing more can be committed: one transaction per run of a handler. Code:
 * `BATCHLATCH_COMMIT_NOT_ALLOWED`.
 */
export class CommitNotAllowedError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param because Why: `pending`, `stored`, `failed`, `ended` or `unclaimed`.
   */
  constructor(because: keyof typeof WHY_NOT) {
    super('BATCHLATCH_COMMIT_NOT_ALLOWED', `Nothing else can be committed in this run: ${WHY_NOT[because]}`);
  }
}

/** The result of a commit cannot be kept as the answer of a function or a request. Nothing was committed. */
export class CommitResultError extends BatchlatchError {
  constructor(problem: string) {
    super(
      'BATCHLATCH_COMMIT_RESULT',
      `Nothing was committed, because its result cannot be kept as the answer to later calls: ${problem}`,
    );
  }
}

const WHY_NOT = {
  pending: 'another commit is in progress; await it',
  stored: 'its commit is written, and the claim is completed with it',
  failed: 'its claim is lost, or an earlier commit may have been written although it got no answer',
  ended: 'the handler has ended; commit before it returns',
  unclaimed: 'it has no claim to complete (onStoreError: runWithoutClaim())',
} as const;
