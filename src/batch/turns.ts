import type { NotStartedReason } from '../observe/observer.ts';
import type { BatchContext } from './context.ts';
import { isAcknowledged, type RecordOutcome } from './outcomes.ts';
import type { PlannedRecord } from './plan.ts';
import type { Gathering } from './run.ts';
import type { Schedule } from './schedule.ts';

/** The ends of the turns of records: the ledger and the schedule learn of each together, in one order. */
export class Turns {
  readonly #context: BatchContext;
  readonly #schedule: Schedule;
  readonly #gathering: Gathering | undefined;
  readonly #advance: () => void;

  /** `advance` goes on with the batch after something that is waited for has ended. */
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

  /** The record has ended, or needs no claim, no slot and no settlement any more. */
  makeRoom(record: PlannedRecord): void {
    this.#context.claims.activity.busy -= 1;
    if (this.#gathering !== undefined) this.#gathering.startIfComplete();
    this.#schedule.makeRoom(record);
  }

  /** The record has its outcome, and nothing of it is on its way any more. */
  close(record: PlannedRecord, outcome: RecordOutcome): void {
    this.#context.ledger.finish(record, outcome);
    this.#schedule.noteEnd(record, 'ended');
    if (this.#context.settings.deadLetter === undefined) {
      this.#schedule.leave(record, isAcknowledged(outcome));
    } else this.leave(record);
  }

  /** Records behind it in its lane are next, once its dead letter is on its way no more. */
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

  /** The record has not started, and does not start any more in this invocation. */
  notStart(record: PlannedRecord, reason: NotStartedReason): void {
    const { ledger, watch } = this.#context;
    if (ledger.outcomeOf(record) !== undefined) return;
    const { recordId, key } = record;
    ledger.finish(record, { status: 'not-started', reason });
    this.#schedule.noteEnd(record, reason === 'order' ? 'held-back' : 'ended');
    watch.notify({ type: 'notStarted', recordId, key, reason });
  }
}
