import { BatchlatchError } from '../base/errors.ts';

/** The lease ended, or another owner took the claim, while the handler ran. Code: `BATCHLATCH_LEASE_LOST`. */
export class LeaseLostError extends BatchlatchError {
  override name = 'LeaseLostError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param options What revealed it, as the `cause`.
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
  override name = 'RecordTimeoutError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param timeoutMs The option `recordTimeoutMs`, in milliseconds.
   * @param options What the handler then threw, as the `cause`.
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
  override name = 'DeadlineError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param options What the handler then threw, as the `cause`.
   */
  constructor(options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_DEADLINE',
      "The function's time was nearly over: its handler was told to stop " +
        "(deadlineMarginMs before Lambda's timeout)",
      options,
    );
  }
}

/** The process was told to stop. The attempt does not count. Code: `BATCHLATCH_WORKER_STOPPED`. */
export class WorkerStoppedError extends BatchlatchError {
  override name = 'WorkerStoppedError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param options What the handler then threw, as the `cause`.
   */
  constructor(options?: { cause?: unknown }) {
    super(
      'BATCHLATCH_WORKER_STOPPED',
      'The worker is stopping and its time for that (shutdownTimeoutMs) is nearly over, so the handler ' +
        'was told to stop',
      options,
    );
  }
}

/**
 * The handler returned after it had seen its signal aborted. It may have stopped half-way, so its work was
 * not acknowledged and may run again. The `cause` is the reason of the abort. Code: `BATCHLATCH_INTERRUPTED`.
 */
export class InterruptedError extends BatchlatchError {
  override name = 'InterruptedError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param options The reason of the abort, as the `cause`.
   */
  constructor(options: { cause: unknown }) {
    super(
      'BATCHLATCH_INTERRUPTED',
      'The handler returned after it had seen its signal aborted, so its work may be half done and was not ' +
        'acknowledged. Throw when the signal is aborted (`signal.throwIfAborted()`), or call ' +
        '`context.done()` if the work was finished',
      options,
    );
  }
}
