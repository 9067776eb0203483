import { BatchlatchError, hasCode } from '../claims/errors.ts';

const PERMANENT = 'BATCHLATCH_PERMANENT';

/** Thrown by a handler for a record that no retry can help: its claim is parked at once. */
export class PermanentError extends BatchlatchError {
  constructor(message: string, options?: { cause?: unknown }) {
    super(PERMANENT, message, options);
  }
}

/** By code, so that a `PermanentError` of another copy of this package counts too. */
export function isPermanent(error: unknown): boolean {
  return hasCode(error, PERMANENT);
}

/** The handler ran longer than `recordTimeoutMs`. */
export class RecordTimeoutError extends BatchlatchError {
  constructor(timeoutMs: number, options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_RECORD_TIMEOUT',
      `The handler ran longer than ${timeoutMs} ms (recordTimeoutMs)`,
      options,
    );
  }
}

/** The invocation's time was nearly over while the handler ran. */
export class DeadlineError extends BatchlatchError {
  constructor(options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_DEADLINE',
      "The function's time was nearly over: its handler was told to stop (deadlineMarginMs before Lambda's timeout)",
      options,
    );
  }
}

/** The key has been claimed `maxAttempts` times without success: it is parked without another run. */
export class TooManyAttemptsError extends BatchlatchError {
  constructor(maxAttempts: number) {
    super('BATCHLATCH_TOO_MANY_ATTEMPTS', `All ${maxAttempts} attempts (maxAttempts) ended without success`);
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

/** The effect is done, but the store did not take its completion: the record is handed back and may run again. */
export class CompletionNotStoredError extends BatchlatchError {
  constructor(options: { cause: unknown }) {
    super(
      'BATCHLATCH_COMPLETION_NOT_STORED',
      'The effect is done, but its completion could not be stored',
      options,
    );
  }
}

/** An event that is delivered alone has to be delivered again; the invocation fails with this, or with the handler's error. */
export class RedeliverError extends BatchlatchError {
  constructor(message: string) {
    super('BATCHLATCH_REDELIVER', message);
  }
}

/** A failed record cannot be named in a partial response, so the batch as a whole has to come back. */
export class UnnamedRecordError extends BatchlatchError {
  constructor(count: number) {
    super(
      'BATCHLATCH_UNNAMED_RECORD',
      `${count} record(s) without a messageId cannot be reported alone: the batch is handed back as a whole, and what is completed will not run again`,
    );
  }
}
