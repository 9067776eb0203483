import { BatchlatchError } from '../base/errors.ts';

// Why a handler was told to stop, and what is said of one that returned all the same.

/**
 * The claim's lease ended, or the claim was found to be another owner's, while the handler ran. Code:
 * `BATCHLATCH_LEASE_LOST`.
 */
export class LeaseLostError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param options What it was found by, as its `cause`.
   */
  constructor(options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_LEASE_LOST',
      'The lease of this attempt is over; another attempt may have started',
      options,
    );
  }
}

/** The handler ran longer than `recordTimeoutMs`. Code: `BATCHLATCH_RECORD_TIMEOUT`. */
export class RecordTimeoutError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param timeoutMs The option `recordTimeoutMs`, in milliseconds.
   * @param options What the handler threw after it, as its `cause`.
   */
  constructor(timeoutMs: number, options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_RECORD_TIMEOUT',
      `The handler ran longer than ${timeoutMs} ms (recordTimeoutMs)`,
      options,
    );
  }
}

/** The invocation's time was nearly over while the handler ran. Code: `BATCHLATCH_DEADLINE`. */
export class DeadlineError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param options What the handler threw after it, as its `cause`.
   */
  constructor(options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_DEADLINE',
      "The function's time was nearly over: its handler was told to stop (deadlineMarginMs before Lambda's timeout)",
      options,
    );
  }
}

/**
 * The process that runs the handler was told to stop. What it breaks off counts as no attempt. Code:
 * `BATCHLATCH_WORKER_STOPPED`.
 */
export class WorkerStoppedError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param options What the handler threw after it, as its `cause`.
   */
  constructor(options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_WORKER_STOPPED',
      'The worker was told to stop, and its time for that was nearly over (shutdownTimeoutMs): the handler was told to stop',
      options,
    );
  }
}

/**
 * The handler returned after it had seen its signal aborted: it may have stopped half-way, so its work was not
 * acknowledged and may run again. The `cause` is the reason of the abort. Code: `BATCHLATCH_INTERRUPTED`.
 */
export class InterruptedError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param options The reason of the abort, as its `cause`.
   */
  constructor(options: { cause: unknown }) {
    super(
      'BATCHLATCH_INTERRUPTED',
      'The handler returned after it had seen its signal aborted, so its work may be half done and was not acknowledged. Throw when the signal is aborted (`signal.throwIfAborted()`), or call `context.done()` if the work was finished',
      options,
    );
  }
}
