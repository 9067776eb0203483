import type { StoredError } from '../claims/claim.ts';
import { BatchlatchError } from '../base/errors.ts';

const UNSERIALIZABLE = 'BATCHLATCH_UNSERIALIZABLE_RESULT';

/** Another call holds this key. Try again after `retryAfterMs`, or sooner. Code: `BATCHLATCH_CONFLICT`. */
export class ConflictError extends BatchlatchError {
  /** Until when the other's lease is exclusive, in epoch milliseconds. */
  readonly leaseUntil: number;
  /** What is left of that lease, in milliseconds; at least 1. */
  readonly retryAfterMs: number;

  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param leaseUntil The end of the other's lease, in epoch milliseconds.
   * @param now The time, in epoch milliseconds.
   */
  constructor(leaseUntil: number, now: number) {
    super('BATCHLATCH_CONFLICT', 'Another call with this idempotency key is in progress');
    this.leaseUntil = leaseUntil;
    this.retryAfterMs = Math.max(1, Math.ceil(leaseUntil - now));
  }
}

/** No time is left of the invocation: nothing was run, and the key is free. Code: `BATCHLATCH_DEADLINE`. */
export class NoTimeLeftError extends BatchlatchError {
  /** Made by batchlatch; for tests of code that catches it. */
  constructor() {
    super(
      'BATCHLATCH_DEADLINE',
      'The invocation has no time left (`remainingTimeMs`), so nothing was run. Call again in an invocation that has time',
    );
  }
}

/**
 * The key failed for good, or its last attempt crashed and `onLapsedLease` is 'park': it does not run again until a
 * person releases it or its retention is over. Code: `BATCHLATCH_PARKED`.
 */
export class ParkedError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param options Why it is parked, as its `cause`.
   */
  constructor(options: { cause: unknown }) {
    super(
      'BATCHLATCH_PARKED',
      'This idempotency key is parked: it does not run again until a person releases it or its retention (`retentionMs.parked`) is over. The cause says why',
      options,
    );
  }
}

/**
 * The effect is done and will not run again, but its result cannot be kept: JSON does not hold it, or the store has
 * no room for it. Every later call gets the same error. Code: `BATCHLATCH_UNSERIALIZABLE_RESULT`.
 */
export class UnserializableResultError extends BatchlatchError {
  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param message Why the result cannot be kept.
   */
  constructor(message: string) {
    super(UNSERIALIZABLE, message);
  }
}

/** A failure that an earlier call stored: name, message and code are those of the first error. */
export class ReplayedError extends Error {
  /** The first error's code, where it had one. */
  readonly code?: string;

  /**
   * Made by batchlatch; for tests of code that catches it.
   *
   * @param stored What the claim keeps of the first error.
   */
  constructor({ name, message, code }: StoredError) {
    super(message);
    this.name = name;
    if (code !== undefined) this.code = code;
  }
}

/** The error that a stored one stands for. */
export function replayedError(stored: StoredError | undefined): Error {
  if (stored?.code === UNSERIALIZABLE) return new UnserializableResultError(stored.message);
  return new ReplayedError(stored ?? { name: 'Error', message: 'The stored failure has no error' });
}
