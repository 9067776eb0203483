import type { StoredError } from '../claims/claim.ts';
import { BatchlatchError } from '../base/errors.ts';

const UNSERIALIZABLE = 'BATCHLATCH_UNSERIALIZABLE_RESULT';

/**
 * Another call with this key is in progress. Over HTTP: 409. Code: `BATCHLATCH_CONFLICT`.
 *
 * @remarks Call again after `retryAfterMs`, or wait with `onConflict: waitForOwner({ timeoutMs })`.
 */
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
    super(
      'BATCHLATCH_CONFLICT',
      'Another call with this idempotency key is in progress: call again after `retryAfterMs`',
    );
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
 * The key failed permanently, or its last attempt crashed and `onLapsedLease` is `'park'`. The `cause` is the
 * stored error. Code: `BATCHLATCH_PARKED`.
 *
 * @remarks Fix the cause, then release the claim: docs/operations/release.md. It is forgotten after 90 days
 * by default.
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
      'This key is parked until a person releases it or `retentionMs.parked` is over. The cause says why',
      options,
    );
  }
}

/**
 * The function has run, but JSON would change its result, or it is too long. Every later call gets this
 * error. Code: `BATCHLATCH_UNSERIALIZABLE_RESULT`.
 *
 * @remarks Return JSON values that fit, or set a `serializer`. Releasing the claim would run the function
 * again.
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
