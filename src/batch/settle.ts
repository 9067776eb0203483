import { Buffer } from 'node:buffer';
import { WorkerStoppedError } from '../attempts/stop-errors.ts';
import type { Ending, EndingOf } from '../attempts/ending.ts';
import { mayRunAgain } from '../attempts/rules.ts';
import { toStoredError } from '../claims/claim.ts';
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

/**
 * What is stored of how a record's handler ended. The effect is done where it returned, so the completion is stored in
 * any case; a result that no JSON can hold, or that the store cannot, is left out of it.
 */
export function endingOfRecord(
  retryable: ((error: unknown) => boolean) | undefined,
  maxResultBytes: number | undefined,
): EndingOf {
  return (end, isLast): Ending => {
    if (end.kind === 'returned') {
      if (end.result === undefined) return { end: 'complete' };
      const { json, problem } = resultAsJson(end.result, maxResultBytes);
      if (json !== undefined) return { end: 'complete', result: json, mayDropResult: true };
      return problem === undefined ? { end: 'complete' } : { end: 'complete', dropped: problem };
    }
    const error = toStoredError(end.error);
    if (end.kind === 'threw' && end.isInconclusive && end.error instanceof WorkerStoppedError) {
      return { end: 'release', error };
    }
    const isRetried =
      end.kind === 'threw' && !isLast && (end.isInconclusive || mayRunAgain(end.error, retryable));
    return { end: isRetried ? 'fail' : 'park', error };
  };
}

function resultAsJson(
  result: unknown,
  maxBytes = Infinity,
): { readonly json?: string; readonly problem?: unknown } {
  try {
    const json = JSON.stringify(result) as string | undefined;
    if (json === undefined) return { problem: new TypeError(`JSON cannot hold a ${typeof result}`) };
    if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes) {
      return { problem: new RangeError(`The result is longer than the ${maxBytes} bytes a claim can hold`) };
    }
    return { json };
  } catch (problem) {
    return { problem };
  }
}
