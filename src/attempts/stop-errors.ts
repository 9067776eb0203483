import { BatchlatchError } from '../base/errors.ts';

/**
 * The lease ended while the handler ran. If another attempt has started, nothing of this one is stored. Code:
 * `BATCHLATCH_LEASE_LOST`.
 *
 * @remarks Increase `leaseMs`, set `heartbeat`, or call `context.extendLease`.
 */
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
      'The lease of this attempt is over; another attempt may have started. Stop, and increase `leaseMs`',
      options,
    );
  }
}

/**
 * The handler ran longer than `recordTimeoutMs`, and its signal was aborted. The `cause` is what it threw.
 * Code: `BATCHLATCH_RECORD_TIMEOUT`.
 *
 * @remarks Make the handler faster, or increase `recordTimeoutMs`.
 */
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

/**
 * The invocation's time was nearly over. `withIdempotency` also rejects with it (`NoTimeLeftError`) if no
 * time was left to start. Over HTTP: 503. Code: `BATCHLATCH_DEADLINE`.
 *
 * @remarks Increase the function's timeout or `concurrency`, or reduce the batch size.
 */
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
      "The function's time was nearly over (deadlineMarginMs): increase the timeout, " +
        'or reduce the batch size',

      options,
    );
  }
}

/**
 * The worker is stopping, and the handler still ran after 55 % of `shutdownTimeoutMs`. The message comes
 * again. Code: `BATCHLATCH_WORKER_STOPPED`.
 *
 * @remarks Increase `shutdownTimeoutMs`, and the container's limit (ECS: `stopTimeout`; Kubernetes:
 * `terminationGracePeriodSeconds`).
 */
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
      'The worker is stopping (shutdownTimeoutMs), so the handler was told to stop',
      options,
    );
  }
}

/**
 * The handler returned after it had seen its signal aborted (docs/policies/interruptions.md). It may run
 * again. Code: `BATCHLATCH_INTERRUPTED`.
 *
 * @remarks Throw when the signal is aborted, or call `context.done()` if the work is finished.
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
      'The handler returned after its signal was aborted, so its work may be half done: ' +
        'call `signal.throwIfAborted()`, or `context.done()` when it is finished',
      options,
    );
  }
}
