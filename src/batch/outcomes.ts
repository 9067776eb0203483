import type { Attempt } from '../attempts/attempt.ts';
import type { Settled } from '../attempts/work.ts';
import { CompletionNotStoredError, isInvalidBody } from '../attempts/errors.ts';
import type { StoredError } from '../claims/claim.ts';
import type { AcquireOutcome } from '../claims/claim-store.ts';
import type { BatchEvent, NotStartedReason } from '../observe/observer.ts';

/**
 * How one record ended in this invocation. The response, the metrics and the logs are derived from it;
 * nothing else says whether a record is acknowledged.
 */
export type RecordOutcome =
  | {
      /** Its effect is done and its completion stored. */
      readonly status: 'completed';
      /** The store did not do its part (`onStoreError`); its completion is not stored. */
      readonly withoutClaim?: true;
    }
  | {
      /** Its key was completed before, or by an equal record of this batch. */
      readonly status: 'duplicate';
    }
  | {
      /** Another owner holds its key. */
      readonly status: 'conflict';
      /** Until when, in epoch milliseconds. */
      readonly leaseUntil: number;
    }
  | {
      /** It failed, and may run again. */
      readonly status: 'failed';
      /** Why. */
      readonly error: unknown;
      /** It ran without a claim (`onStoreError`). */
      readonly withoutClaim?: true;
    }
  | (PermanentEnd & {
      /** It failed for good, now or before, and waits for a person. */
      readonly status: 'parked';
      /** Why. */
      readonly error: unknown;
    })
  | {
      /** It ran, and its claim was another owner's by the time it ended. */
      readonly status: 'lost';
    }
  | (PermanentEnd & {
      /** Its key came before with another payload. */
      readonly status: 'mismatch';
    })
  | (PermanentEnd & {
      /** It cannot be read, has no key, or its body does not fit the schema. */
      readonly status: 'invalid';
      /** Why. */
      readonly error: unknown;
    })
  | {
      /** It was not started. */
      readonly status: 'not-started';
      /** Why. */
      readonly reason: NotStartedReason;
    }
  | {
      /** It carries no work: S3's test message. */
      readonly status: 'ignored';
    };

/** What no redelivery can help. */
export interface PermanentEnd {
  /** The dead-letter queue has the record. */
  readonly isDeadLettered?: true;
}

/** Its work is done: here, or before; or there is none. */
function isDone(outcome: RecordOutcome | undefined): boolean {
  // rule: done-outcomes
  return outcome?.status === 'completed' || outcome?.status === 'duplicate' || outcome?.status === 'ignored';
}

/** The only ends after which a record need not come again: its work is done, or another queue has it. */
export function isAcknowledged(outcome: RecordOutcome | undefined): boolean {
  if (outcome?.status === 'completed' || outcome?.status === 'duplicate') return true;
  return outcome?.status === 'ignored' || (isPermanentEnd(outcome) && outcome.isDeadLettered === true);
}

export function isPermanentEnd(
  outcome: RecordOutcome | undefined,
): outcome is RecordOutcome & { readonly status: 'parked' | 'mismatch' | 'invalid' } {
  return outcome?.status === 'parked' || outcome?.status === 'mismatch' || outcome?.status === 'invalid';
}

/** What an equal record of the same batch takes from the one that ran. */
export function outcomeOfFollower(leader: RecordOutcome): RecordOutcome {
  if (isDone(leader)) return { status: 'duplicate' };
  if (!isPermanentEnd(leader)) return leader;
  const { isDeadLettered: _ofTheLeader, ...own } = leader; // the follower is a message of its own
  return own;
}

/** What becomes of a record whose attempt has been settled. */
export function outcomeOf({ end, ending }: Attempt, settled: Settled): RecordOutcome {
  if (settled === 'committed') return { status: 'completed' };
  if (end !== undefined && end.kind !== 'returned') {
    // A store's error never hides the business error.
    if (ending?.end !== 'park' || settled !== 'stored') return { status: 'failed', error: end.error };
    return { status: isInvalidBody(end.error) ? 'invalid' : 'parked', error: end.error };
  }
  // rule: stored-completes
  if (settled === 'stored') return { status: 'completed' };
  if (settled === 'lost') return { status: 'lost' };
  return { status: 'failed', error: new CompletionNotStoredError({ cause: settled.error }) };
}

/** What becomes of a record that ran without a claim. */
export function outcomeWithoutClaim({ end }: Attempt): RecordOutcome {
  return end === undefined || end.kind === 'returned'
    ? { status: 'completed', withoutClaim: true }
    : { status: 'failed', error: end.error, withoutClaim: true };
}

/** The outcome of a record that got no claim, and what the observer is told. */
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

/** Makes an `Error` of what a row keeps, for outcomes and logs. */
function errorOfRow(stored: StoredError | undefined): Error {
  const error = new Error(stored?.message ?? 'parked without an error');
  error.name = stored?.name ?? 'Error';
  return stored?.code === undefined ? error : Object.assign(error, { code: stored.code });
}
