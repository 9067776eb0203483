import type { AttemptContext } from '../claims/attempt-handle.ts';

/**
 * The context of an attempt of a function. Pass it to `commit` of `batchlatch/dynamodb` or `inTransaction` of
 * `batchlatch/postgres`: what they commit is the result of this and later calls, whatever the function
 * returns.
 */
export interface CallContext extends AttemptContext {
  /** `namespace#version:key`, for downstream services that take idempotency keys. */
  readonly idempotencyKey: string;
  /** How many times the key has been claimed, from 1. It only grows, so it serves as a fencing token. */
  readonly attempt: number;
  /**
   * Aborted with a `LeaseLostError` when the lease ends: another attempt may start. A function that observes
   * the abort and then returns counts as interrupted: its caller gets an `InterruptedError`, and the key may
   * run again. Pass the signal on, and call `signal.throwIfAborted()` between steps.
   */
  readonly signal: AbortSignal;
  /** The end of the lease, in epoch milliseconds. No other attempt starts before it. */
  readonly leaseUntil: number;
  /**
   * Extends the lease to at least `leaseMs` from now. Rejects with a `LeaseLostError` if the lease is lost.
   *
   * @param leaseMs The minimum remaining lease, in milliseconds.
   */
  extendLease(leaseMs: number): Promise<void>;
  /**
   * Marks the work as done although the signal was aborted: the function's result or error counts as if it
   * had not observed the abort. Has no effect without an abort.
   */
  done(): void;
}
