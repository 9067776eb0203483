import type { Context } from 'aws-lambda';
import type { CommitItem } from '../claims/commit.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * Does the work of one record. It may run more than once for one key: when its process dies or overruns
 * its lease. What it returns is kept as JSON with the completion. `Record` is what the `source` delivers, where one is
 * named.
 */
export type RecordHandler<Body = unknown, Record extends BatchRecord = BatchRecord<Body>> = (
  record: Record,
  context: RecordContext,
) => unknown;

/** What a handler may want to know of its attempt, and do about it. */
export interface RecordContext {
  /**
   * Aborted when the handler should stop: the function's time is nearly over, `recordTimeoutMs` has passed,
   * or the lease is over. The reason says which.
   */
  readonly signal: AbortSignal;
  /**
   * Says that the work is done although the signal was aborted while it ran. A handler that has seen the abort
   * (it read `aborted` as true or the `reason`, or a listener of its own ran) and returns without saying so counts as broken off:
   * its record is handed back with an `InterruptedError`.
   */
  done(): void;
  /** To hand on to services that take an idempotency key. */
  readonly idempotencyKey: string;
  /** How many times the key has been claimed: the fencing token. A downstream that has seen a higher one can refuse this. */
  readonly attempt: number;
  /** Epoch milliseconds until which no other attempt of the key starts. */
  readonly leaseUntil: number;
  /** Makes the lease last at least `leaseMs` from now; it never becomes shorter, and after `commit` it does nothing. Rejects with a `LeaseLostError` when the claim is another owner's. */
  extendLease(leaseMs: number): Promise<void>;
  /**
   * Writes the items and the completion of this attempt's claim in one transaction, on the condition that the
   * claim is still this attempt's: both exist afterwards, or neither, also when another attempt took over. Then
   * the record is completed with `result`, whatever the handler does next; what it returns is not kept, and
   * what it throws is told to the observer (`failedAfterCommit`). 1 to 99 items, once per run; wait for it.
   *
   * Rejects with a `CommitRefusedError` when a condition of the items did not hold: nothing is written, and
   * the handler may commit something else, throw, or return without an effect. With a `CommitItemsError`,
   * before anything is sent, when no transaction can hold the items. With a `LeaseLostError` when the claim is
   * another attempt's. With a `StoreError` when the store failed: the record then fails, also when the handler
   * goes on, unless the row shows that the transaction was written.
   */
  commit(items: readonly CommitItem[], options?: CommitOptions): Promise<void>;
  /** What is left of the invocation in milliseconds; `Infinity` outside Lambda. */
  remainingTimeMs(): number;
  /** Lambda's own context; undefined outside Lambda. */
  readonly lambda: Context | undefined;
}

export interface CommitOptions {
  /** Kept as JSON with the completion, in place of what the handler returns. */
  readonly result?: unknown;
}
