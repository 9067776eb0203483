import type { Settled } from '../attempts/work.ts';
import type { HandlerThrew } from '../attempts/handler-end.ts';
import { settle } from '../attempts/settling.ts';
import type { BatchAttempt, BatchContext } from './context.ts';
import { outcomeWithoutClaim, type RecordOutcome } from './outcomes.ts';

/**
 * The third stage: the end of an attempt is stored, together with those of others. Returns the outcome where there is nothing to
 * store; else the runner is told.
 */
export function settleEnd(attempt: BatchAttempt): RecordOutcome | undefined {
  if (attempt.state === 'abandoned') {
    // It may still be running, so its claim is left to its lease: no second attempt starts beside it.
    // rule: abandoned-keep-claims
    return attempt.isCommitted
      ? { status: 'completed' }
      : { status: 'failed', error: (attempt.end as HandlerThrew).error };
  }
  if (!attempt.hasClaim) return outcomeWithoutClaim(attempt);
  settle(attempt);
  return undefined;
}

/** The outcome of a record whose completion is not stored, where an option may make another of it. */
export function outcomeOfNotCompleted(
  attempt: BatchAttempt,
  settled: Settled,
  outcome: RecordOutcome,
  context: BatchContext,
): RecordOutcome {
  const { settings, watch } = context;
  const { of: record, recordId, key, end } = attempt;
  if (outcome.status === 'parked' || outcome.status === 'invalid') {
    watch.notify({ type: 'parked', recordId, key, error: outcome.error });
  }
  // Not where a handler returned after its commit had failed: its effect is not known to be done, and its end has thrown.
  const isNotStored = end?.kind === 'returned' && typeof settled === 'object';
  const { onStoreError } = settings;
  return isNotStored && onStoreError !== undefined
    ? onStoreError.notStored(record, settled.error, context)
    : outcome;
}
