import type { Context } from 'aws-lambda';
import type { AttemptContext } from '../claims/attempt-handle.ts';
import type { BatchRecord } from '../sources/record.ts';

/**
 * Processes one record. It may run more than once for one key: when its process dies or it outlives its
 * lease. Its result is kept as JSON with the completion.
 *
 * @typeParam Body The type of the record's body.
 * @typeParam Record The kind of record that the `source` delivers.
 * @param record The record, with its body parsed.
 * @param context The attempt and its signal.
 */
export type RecordHandler<Body = unknown, Record extends BatchRecord = BatchRecord<Body>> = (
  record: Record,
  context: RecordContext,
) => unknown;

/**
 * The context of one attempt. The features of a store are functions of its entry that take the context, such
 * as `commit(context, items)` of `batchlatch/dynamodb`.
 */
export interface RecordContext extends AttemptContext {
  /**
   * Aborted when the handler should stop: the function's time is nearly over, `recordTimeoutMs` has passed,
   * or the lease is over. Its reason says which.
   */
  readonly signal: AbortSignal;
  /**
   * Marks the work as done although the signal was aborted. A handler that has seen the abort (it read
   * `aborted` as true or read `reason`, or its own listener ran) and returns without this call counts as
   * interrupted: its record is handed back with an `InterruptedError`.
   */
  done(): void;
  /** The key to pass to services that accept an idempotency key. */
  readonly idempotencyKey: string;
  /** The fencing token: how often the key was claimed. Downstream services can refuse lower tokens. */
  readonly attempt: number;
  /** The time, in epoch milliseconds, until which no other attempt of the key starts. */
  readonly leaseUntil: number;
  /**
   * Makes the lease last at least `leaseMs` from now. It never shortens the lease, and does nothing after a
   * commit. Rejects with a `LeaseLostError` if another owner has the claim.
   *
   * @param leaseMs The minimum remaining lease, in milliseconds.
   */
  extendLease(leaseMs: number): Promise<void>;
  /** Returns the remaining time of the invocation in milliseconds; `Infinity` outside Lambda. */
  remainingTimeMs(): number;
  /** Lambda's own context; undefined outside Lambda. */
  readonly lambda: Context | undefined;
}
