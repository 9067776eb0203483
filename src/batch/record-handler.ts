import type { Context } from 'aws-lambda';
import type { AttemptContext } from '../claims/attempt-handle.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * Does the work of one record. It may run more than once for one key: when its process dies or it outlives
 * its lease. What it returns is kept as JSON with the completion. `Record` is what the `source` delivers, where one is
 * named.
 *
 * @typeParam Body The type of the record's body.
 * @typeParam Record The kind of record that the source delivers.
 * @param record The record, its body read and parsed.
 * @param context What is known of the attempt, and its signal.
 */
export type RecordHandler<Body = unknown, Record extends BatchRecord = BatchRecord<Body>> = (
  record: Record,
  context: RecordContext,
) => unknown;

/**
 * What a handler can know about its attempt, and do about it. A store's own features are functions of its entry that take
 * the context: `commit(context, items)` of `batchlatch/dynamodb`.
 */
export interface RecordContext extends AttemptContext {
  /**
   * Aborted when the handler should stop: the function's time is nearly over, `recordTimeoutMs` has passed,
   * or the lease is over. The reason says which.
   */
  readonly signal: AbortSignal;
  /**
   * Says that the work is done although the signal was aborted while it ran. A handler that has seen the abort
   * (it read `aborted` as true or the `reason`, or a listener of its own ran) and returns without saying so counts as interrupted:
   * its record is handed back with an `InterruptedError`.
   */
  done(): void;
  /** To pass on to services that take an idempotency key. */
  readonly idempotencyKey: string;
  /** How many times the key has been claimed: the fencing token. A downstream that has seen a higher one can refuse this. */
  readonly attempt: number;
  /** Epoch milliseconds until which no other attempt of the key starts. */
  readonly leaseUntil: number;
  /**
   * Makes the lease last at least `leaseMs` from now; it never becomes shorter, and after a commit it does nothing. Rejects with a `LeaseLostError` when the claim is another owner's.
   *
   * @param leaseMs The least that has to be left of the lease from now on, in milliseconds.
   */
  extendLease(leaseMs: number): Promise<void>;
  /** What is left of the invocation in milliseconds; `Infinity` outside Lambda. */
  remainingTimeMs(): number;
  /** Lambda's own context; undefined outside Lambda. */
  readonly lambda: Context | undefined;
}
