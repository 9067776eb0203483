import type { AttemptContext } from '../claims/attempt-handle.ts';

/**
 * What a function sees of the attempt it runs in. `commit` of `batchlatch/dynamodb` and `inTransaction` of `batchlatch/postgres` take
 * it: what they commit is then the result, of this call and of later ones, whatever the function returns.
 */
export interface CallContext extends AttemptContext {
  /** `namespace#version:key`, to be passed to downstream services that take idempotency keys. */
  readonly idempotencyKey: string;
  /** 1, 2, 3 …: how many times the key has been claimed. The fencing token: a later attempt has a higher one. */
  readonly attempt: number;
  /**
   * Aborted with a `LeaseLostError` when the lease is over: another attempt may start. A function that has seen that
   * and then returns counts as stopped half-way: its caller gets an `InterruptedError`, and the key may run
   * again. Check it between two steps with `signal.throwIfAborted()`, and pass it on.
   */
  readonly signal: AbortSignal;
  /** Until when no other attempt starts, in epoch milliseconds. */
  readonly leaseUntil: number;
  /**
   * Makes the lease last at least `leaseMs` from now. Rejects with a `LeaseLostError` when it is no longer this attempt's.
   *
   * @param leaseMs The least that has to be left of the lease from now on, in milliseconds.
   */
  extendLease(leaseMs: number): Promise<void>;
  /**
   * Says that the work is done although the signal was aborted while it ran: what the function then returns, or
   * throws, counts as if the abort had not been seen. Without an abort it changes nothing.
   */
  done(): void;
}
