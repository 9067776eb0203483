import type { Attempt } from '../attempts/attempt.ts';
import type { Settled } from '../attempts/work.ts';
import { CompletionNotStoredError, isInvalidBody } from '../attempts/errors.ts';
import type { StoredError } from '../claims/claim.ts';
import type { AcquireOutcome } from '../claims/claim-store.ts';
import type { BatchEvent, NotStartedReason } from '../observe/observer.ts';

/** The end of one record in this invocation. It alone decides whether the record is acknowledged. */
export type RecordOutcome =
  | {
      /** The effect is done and the completion is stored. */
      readonly status: 'completed';
      /** The store was unavailable (`onStoreError`), so the completion is not stored. */
      readonly withoutClaim?: true;
    }
  | {
      /** The key was completed before, or by an equal record of this batch. */
      readonly status: 'duplicate';
    }
  | {
      /** Another owner holds the key. */
      readonly status: 'conflict';
      /** The end of the other owner's lease, in epoch milliseconds. */
      readonly leaseUntil: number;
    }
  | {
      /** The record failed and may run again. */
      readonly status: 'failed';
      /** The cause. */
      readonly error: unknown;
      /** The record ran without a claim (`onStoreError`). */
      readonly withoutClaim?: true;
    }
  | (PermanentEnd & {
      /** The record failed permanently, now or before, and waits for a person. */
      readonly status: 'parked';
      /** The cause. */
      readonly error: unknown;
    })
  | {
      /** The record ran, but another owner had taken over its claim by the time it ended. */
      readonly status: 'lost';
    }
  | (PermanentEnd & {
      /** The key came before with another payload. */
      readonly status: 'mismatch';
    })
  | (PermanentEnd & {
      /** The record cannot be read, has no key, or its body does not fit the schema. */
      readonly status: 'invalid';
      /** The cause. */
      readonly error: unknown;
      /** A later version of this consumer may know the record's type, so it is not dead-lettered. */
      readonly mayFitLater?: true;
    })
  | {
      /** The record was not started. */
      readonly status: 'not-started';
      /** The cause. */
      readonly reason: NotStartedReason;
    }
  | {
      /** The record carries no work, such as S3's test message. */
      readonly status: 'ignored';
    };

/** A failure that no redelivery can repair. */
export interface PermanentEnd {
  /** The dead-letter queue has the record. */
  readonly isDeadLettered?: true;
}

/** Returns whether a record need not come again: its work is done, or the dead-letter queue has it. */
export function isAcknowledged(outcome: RecordOutcome | undefined): boolean {
  const status = outcome?.status;
  // rule: done-outcomes
  const isDone = status === 'completed' || status === 'duplicate' || status === 'ignored';
  return isDone || (isPermanentEnd(outcome) && outcome.isDeadLettered === true);
}

export function isPermanentEnd(
  outcome: RecordOutcome | undefined,
): outcome is RecordOutcome & { readonly status: 'parked' | 'mismatch' | 'invalid' } {
  if (outcome?.status === 'invalid') return outcome.mayFitLater !== true;
  return outcome?.status === 'parked' || outcome?.status === 'mismatch';
}

/** Returns the outcome of a record that follows an equal one. */
export function outcomeOfFollower(leader: RecordOutcome): RecordOutcome {
  if (!isPermanentEnd(leader)) return isAcknowledged(leader) ? { status: 'duplicate' } : leader;
  const { isDeadLettered: _ofTheLeader, ...own } = leader; // the follower is a message of its own
  return own;
}

export function outcomeOf({ end, ending }: Attempt, settled: Settled): RecordOutcome {
  if (settled === 'committed') return { status: 'completed' };
  if (end !== undefined && end.kind !== 'returned') {
    // The handler's error is reported even if the store failed too.
    if (ending?.end !== 'park' || settled !== 'stored') return { status: 'failed', error: end.error };
    return { status: isInvalidBody(end.error) ? 'invalid' : 'parked', error: end.error };
  }
  // rule: stored-completes
  if (settled === 'stored') return { status: 'completed' };
  if (settled === 'lost') return { status: 'lost' };
  return { status: 'failed', error: new CompletionNotStoredError({ cause: settled.error }) };
}

export function outcomeWithoutClaim({ end }: Attempt): RecordOutcome {
  return end === undefined || end.kind === 'returned'
    ? { status: 'completed', withoutClaim: true }
    : { status: 'failed', error: end.error, withoutClaim: true };
}

/** Returns the outcome of a record that got no claim, and the event for the observer. */
export function outcomeOfRefusal(
  { recordId, key }: { readonly recordId: string; readonly key: string },
  answer: Exclude<AcquireOutcome, { readonly status: 'acquired' }>,
): { readonly outcome: RecordOutcome; readonly event: BatchEvent } {
  const of = { recordId, key };
  switch (answer.status) {
    case 'duplicate':
      return { outcome: { status: 'duplicate' }, event: { type: 'duplicate', ...of, within: 'store' } };
    case 'conflict': {
      const { status, leaseUntil } = answer;
      return { outcome: { status, leaseUntil }, event: { type: status, ...of, leaseUntil } };
    }
    case 'parked': {
      const { status } = answer;
      const error = errorOfRow(answer.error);
      return { outcome: { status, error }, event: { type: status, ...of, error } };
    }
    case 'mismatch':
      return { outcome: { status: 'mismatch' }, event: { type: 'mismatch', ...of } };
    case 'error': {
      const { error } = answer;
      return { outcome: { status: 'failed', error }, event: { type: 'claimFailed', ...of, error } };
    }
  }
}

function errorOfRow(stored: StoredError | undefined): Error {
  const error = new Error(stored?.message ?? 'parked without an error');
  error.name = stored?.name ?? 'Error';
  return stored?.code === undefined ? error : Object.assign(error, { code: stored.code });
}
