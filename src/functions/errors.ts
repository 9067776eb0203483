import type { StoredError } from '../claims/claim.ts';
import { BatchlatchError } from '../claims/errors.ts';

const UNSERIALIZABLE = 'BATCHLATCH_UNSERIALIZABLE_RESULT';

/** Another call holds this key. The same call may succeed after `retryAfterMs`; the other's result may be there sooner. */
export class ConflictError extends BatchlatchError {
  /** Until when the other's lease is exclusive, in epoch milliseconds. */
  readonly leaseUntil: number;
  /** What is left of that lease, in milliseconds; at least 1. */
  readonly retryAfterMs: number;

  constructor(leaseUntil: number, now: number) {
    super('BATCHLATCH_CONFLICT', 'Another call with this idempotency key is in progress');
    this.leaseUntil = leaseUntil;
    this.retryAfterMs = Math.max(1, Math.ceil(leaseUntil - now));
  }
}

/** No time is left of the invocation: nothing was run, and the key is free. */
export class NoTimeLeftError extends BatchlatchError {
  constructor() {
    super(
      'BATCHLATCH_DEADLINE',
      'The invocation has no time left (`remainingTimeMs`), so nothing was run. Call again in an invocation that has time',
    );
  }
}

/** The key failed for good, or its last attempt crashed and `onLapsedLease` is 'park': it does not run again until a person releases it or its retention is over. */
export class ParkedError extends BatchlatchError {
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
 * no room for it. Every later call gets the same error.
 */
export class UnserializableResultError extends BatchlatchError {
  constructor(message: string) {
    super(UNSERIALIZABLE, message);
  }
}

/** A failure that an earlier call stored: name, message and code are those of the first error. */
export class ReplayedError extends Error {
  /** The first error's code, where it had one. */
  readonly code?: string;

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
