import type { Ending, EndingOf } from '../attempts/ending.ts';
import type { HandlerThrew } from '../attempts/handler-end.ts';
import { mayRunAgain } from '../attempts/rules.ts';
import { settle } from '../attempts/settling.ts';
import { WorkerStoppedError } from '../attempts/stop-errors.ts';
import type { Settled } from '../attempts/work.ts';
import { toStoredError } from '../claims/claim.ts';
import type { NotStartedReason } from '../observe/observer.ts';
import type { BatchAttempt, BatchContext, Gathering } from './context.ts';
import { isAcknowledged, outcomeOf, outcomeWithoutClaim, type RecordOutcome } from './outcomes.ts';
import type { PlannedRecord } from './plan.ts';
import type { Schedule } from './schedule.ts';

/** The third stage: stores ends. It alone reports ends to the ledger and the schedule, in this order. */
export class SettleStage {
  readonly #context: BatchContext;
  readonly #schedule: Schedule;
  readonly #gathering: Gathering | undefined;
  readonly #advance: () => void;

  /** `advance` continues the batch after a dead letter was sent. */
  constructor(
    context: BatchContext,
    schedule: Schedule,
    gathering: Gathering | undefined,
    advance: () => void,
  ) {
    this.#context = context;
    this.#schedule = schedule;
    this.#gathering = gathering;
    this.#advance = advance;
  }

  /** Queues the end of an attempt for `settled`. Returns true if nothing has to be stored. */
  settle(attempt: BatchAttempt): boolean {
    this.makeRoom(attempt.of);
    if (attempt.state !== 'abandoned' && attempt.hasClaim) {
      settle(attempt);
      return false;
    }
    this.close(
      attempt.of,
      attempt.state === 'abandoned' ? outcomeOfAbandoned(attempt) : outcomeWithoutClaim(attempt),
    );
    return true;
  }

  settled(attempt: BatchAttempt, settled: Settled): void {
    const outcome = outcomeOf(attempt, settled);
    const isCompleted = outcome.status === 'completed';
    this.close(attempt.of, isCompleted ? outcome : this.#notCompleted(attempt, settled, outcome));
  }

  /** Frees the record's place: it needs no claim, slot or settlement any more. */
  makeRoom(record: PlannedRecord): void {
    this.#context.claims.activity.busy -= 1;
    if (record.route !== undefined) record.route.busy -= 1;
    if (this.#gathering !== undefined) this.#gathering.startIfComplete();
    this.#schedule.makeRoom(record);
  }

  close(record: PlannedRecord, outcome: RecordOutcome): void {
    this.#context.ledger.finish(record, outcome);
    this.#schedule.noteEnd(record, 'ended');
    if (this.#context.settings.deadLetter === undefined) {
      this.#schedule.leave(record, isAcknowledged(outcome));
    } else this.leave(record);
  }

  /** Continues the record's lane, after its dead letter is sent. */
  leave(record: PlannedRecord): void {
    const { settings, watch } = this.#context;
    const { deadLetter } = settings;
    if (deadLetter === undefined) return this.leaveNow(record);
    deadLetter.send(record, this.#context).then(
      () => {
        this.leaveNow(record);
        this.#advance();
      },
      (thrown: unknown) => watch.fail(thrown),
    );
  }

  leaveNow(record: PlannedRecord): void {
    this.#schedule.leave(record, isAcknowledged(this.#context.ledger.outcomeOf(record)));
  }

  notStart(record: PlannedRecord, reason: NotStartedReason): void {
    const { ledger, watch } = this.#context;
    if (ledger.outcomeOf(record) !== undefined) return;
    const { recordId, key } = record;
    ledger.finish(record, { status: 'not-started', reason });
    this.#schedule.noteEnd(record, reason === 'order' ? 'held-back' : 'ended');
    watch.notify({ type: 'notStarted', recordId, key, reason });
  }

  /** Returns the outcome of a record that is not completed; `onStoreError` may replace it. */
  #notCompleted(attempt: BatchAttempt, settled: Settled, outcome: RecordOutcome): RecordOutcome {
    const { settings, watch } = this.#context;
    const { of: record, recordId, key, end } = attempt;
    if (outcome.status === 'parked' || outcome.status === 'invalid') {
      watch.notify({ type: 'parked', recordId, key, error: outcome.error });
    }
    // After a failed commit `end` is `threw`, even if the handler returned: its effect may not be done.
    const isNotStored = end?.kind === 'returned' && typeof settled === 'object';
    const { onStoreError } = settings;
    return isNotStored && onStoreError !== undefined
      ? onStoreError.notStored(record, settled.error, this.#context)
      : outcome;
  }
}

/** The handler may still run, so its claim is left to lapse: no second attempt starts beside it. */
function outcomeOfAbandoned(attempt: BatchAttempt): RecordOutcome {
  // rule: abandoned-keep-claims
  return attempt.isCommitted
    ? { status: 'completed' }
    : { status: 'failed', error: (attempt.end as HandlerThrew).error };
}

/**
 * Returns the function that turns the end of a handler into a settlement. A returned handler has done its
 * effect, so its completion is always stored, without a result that JSON or the store cannot hold.
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
    if (json === undefined)
      return { problem: new TypeError(`JSON cannot hold a ${typeof result}: return JSON values`) };
    if (json.length * 3 > maxBytes && Buffer.byteLength(json) > maxBytes) {
      return {
        problem: new RangeError(`The result exceeds the ${maxBytes} bytes of a claim; use resultsIn`),
      };
    }
    return { json };
  } catch (problem) {
    return { problem };
  }
}
