import type { StoredError } from '../claims/claim.ts';
import { BatchlatchError } from '../base/errors.ts';

const UNSERIALIZABLE = 'BATCHLATCH_UNSERIALIZABLE_RESULT';

/** Thrown while another call holds the key. Try again after `retryAfterMs`. Code: `BATCHLATCH_CONFLICT`. */
export class ConflictError extends BatchlatchError {
  override name = 'ConflictError';
  /** The end of the other call's lease, in epoch milliseconds. */
  readonly leaseUntil: number;
  /** The remaining time of that lease, in milliseconds; at least 1. */
  readonly retryAfterMs: number;

  /**
   * Created by batchlatch; public for tests.
   *
   * @param leaseUntil The end of the other call's lease, in epoch milliseconds.
   * @param now The current time, in epoch milliseconds.
   */
  constructor(leaseUntil: number, now: number) {
    super('BATCHLATCH_CONFLICT', 'Another call with this idempotency key is in progress');
    this.leaseUntil = leaseUntil;
    this.retryAfterMs = Math.max(1, Math.ceil(leaseUntil - now));
  }
}

/** No time is left of the invocation: nothing was run, and the key is free. Code: `BATCHLATCH_DEADLINE`. */
export class NoTimeLeftError extends BatchlatchError {
  override name = 'NoTimeLeftError';
  /** Created by batchlatch; public for tests. */
  constructor() {
    super(
      'BATCHLATCH_DEADLINE',
      'The invocation has no time left (`remainingTimeMs`), so nothing was run. ' +
        'Call again in an invocation that has time',
    );
  }
}

/**
 * Thrown for a parked key: it failed permanently, or its last attempt crashed and `onLapsedLease` is 'park'.
 * It does not run again until a person releases it or its retention ends. Code: `BATCHLATCH_PARKED`.
 */
export class ParkedError extends BatchlatchError {
  override name = 'ParkedError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param options The reason for parking, as `cause`.
   */
  constructor(options: { cause: unknown }) {
    super(
      'BATCHLATCH_PARKED',
      'This idempotency key is parked: it does not run again until a person releases it ' +
        'or its retention (`retentionMs.parked`) is over. The cause says why',
      options,
    );
  }
}

/**
 * Thrown when the effect is done but its result cannot be stored: JSON cannot represent it, or it is too long
 * for the store. The key does not run again; every later call gets this error. Code:
 * `BATCHLATCH_UNSERIALIZABLE_RESULT`.
 */
export class UnserializableResultError extends BatchlatchError {
  override name = 'UnserializableResultError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param message Why the result cannot be stored.
   */
  constructor(message: string) {
    super(UNSERIALIZABLE, message);
  }
}

/** A failure stored by an earlier call, with the name, message and code of the original error. */
export class ReplayedError extends Error {
  /** The code of the original error, if it had one. */
  readonly code?: string;

  /**
   * Created by batchlatch; public for tests.
   *
   * @param stored The error as the claim stores it.
   */
  constructor({ name, message, code }: StoredError) {
    super(message);
    this.name = name;
    if (code !== undefined) this.code = code;
  }
}

export function replayedError(stored: StoredError | undefined): Error {
  if (stored?.code === UNSERIALIZABLE) return new UnserializableResultError(stored.message);
  return new ReplayedError(stored ?? { name: 'Error', message: 'The stored failure has no error' });
}
