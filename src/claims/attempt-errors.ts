import { BatchlatchError, hasCode } from './errors.ts';

const PERMANENT = 'BATCHLATCH_PERMANENT';

/** Thrown by a handler for a record, or a call, that no retry can help: its claim is parked at once. */
export class PermanentError extends BatchlatchError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(PERMANENT, message, options);
  }
}

/** By code, so that a `PermanentError` of another copy of this package counts too. */
export function isPermanent(error: unknown): boolean {
  return hasCode(error, PERMANENT);
}

/** The key has been claimed `maxAttempts` times without success: it is parked without another run. */
export class TooManyAttemptsError extends BatchlatchError {
  constructor(maxAttempts: number) {
    super('BATCHLATCH_TOO_MANY_ATTEMPTS', `All ${maxAttempts} attempts (maxAttempts) ended without success`);
  }
}

/** The last attempt died and may have done its work: with `onLapsedLease: 'park'` a person has to look. */
export class LapsedLeaseError extends BatchlatchError {
  constructor() {
    super(
      'BATCHLATCH_LAPSED_LEASE',
      "The lease of the last attempt lapsed, and whether its work was done is not known (onLapsedLease: 'park')",
    );
  }
}

/** The key was used before with another payload. Nothing was run. */
export class MismatchError extends BatchlatchError {
  constructor() {
    super('BATCHLATCH_MISMATCH', 'This idempotency key was used before with another payload');
  }
}

/** The claim's lease ran down, or was found to be another owner's, while the handler ran. */
export class LeaseLostError extends BatchlatchError {
  constructor(options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_LEASE_LOST',
      'The lease of this attempt is over; another attempt may have started',
      options,
    );
  }
}

/**
 * The handler returned after it had seen its signal aborted: it may have stopped half-way, so its work was not
 * acknowledged and may run again. The `cause` is the reason of the abort.
 */
export class InterruptedError extends BatchlatchError {
  constructor(options: { cause: unknown }) {
    super(
      'BATCHLATCH_INTERRUPTED',
      'The handler returned after it had seen its signal aborted, so its work may be half done and was not acknowledged. Throw when the signal is aborted (`signal.throwIfAborted()`), or call `context.done()` when the work was finished all the same',
      options,
    );
  }
}

/** The effect is done, but the store did not take its completion: it may run again. */
export class CompletionNotStoredError extends BatchlatchError {
  readonly #result: unknown;

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
