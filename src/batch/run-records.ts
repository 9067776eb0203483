import { DeadlineError, WorkerStoppedError } from '../attempts/errors.ts';
import type { HandlerReturned, HandlerThrew } from '../attempts/handler-end.ts';
import type { Refusal, Settled } from '../attempts/work.ts';
import { release, settleLate } from '../attempts/settling.ts';
import type { NotStartedReason } from '../observe/observer.ts';
import { type AfterClaim, ClaimStage, reachOf } from './claim.ts';
import type { BatchAttempt, BatchContext } from './context.ts';
import { isAcknowledged, outcomeOfFollower, outcomeOfRefusal, type RecordOutcome } from './outcomes.ts';
import type { PlannedRecord } from './plan.ts';
import { type AfterRun, type Handler, RunStage } from './run.ts';
import { Schedule, type Step } from './schedule.ts';
import { outcomeOfSettled, settleEnd } from './settle.ts';

/**
 * Runs the records of a batch through the stages: claim, run, settle. Resolves when each record has its outcome and nothing of
 * it is on its way. The schedule says what is next.
 */
export function runRecords(handler: Handler, context: BatchContext): Promise<void> {
  return new BatchRun(handler, context).run();
}

class BatchRun implements AfterClaim, AfterRun {
  readonly #context: BatchContext;
  readonly #schedule: Schedule;
  readonly #claim: ClaimStage;
  readonly #run: RunStage;
  #isAdvancing = false;
  #resolve!: () => void;
  #reject!: (thrown: unknown) => void;

  constructor(handler: Handler, context: BatchContext) {
    const { host, ledger } = context;
    this.#context = context;
    this.#schedule = new Schedule(ledger.records, {
      reach: reachOf(context),
      isAlone: host?.isAlone === true,
      // Other calls run in this process: when nothing does, the host calls with each of these alone.
      leavesPutOff: host?.isAlone === false,
    });
    this.#claim = new ClaimStage(context, this.#schedule, this);
    this.#run = new RunStage(handler, context, this);
    const fail = (thrown: unknown): void => this.fail(thrown);
    const answered = (): void => this.answered();
    Object.assign(context.watch, { fail, answered });
  }

  run(): Promise<void> {
    const { stop } = this.#context.time.deadline;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (stop.aborted) this.#stop(); // reading took all the time there was
      else stop.addEventListener('abort', () => this.#stop(), { once: true });
      this.#advance();
    });
  }

  fail(thrown: unknown): void {
    this.#reject(thrown);
  }

  // The common way, in its order: claim, claimed, over, settled, finish, leave.

  /** Does what can be done now, and ends the batch where that was all. To be called whenever something has ended. */
  #advance(): void {
    this.#doSteps();
    if (this.#schedule.isDone) this.#resolve();
  }

  #doSteps(): void {
    if (this.#isAdvancing) return;
    this.#isAdvancing = true;
    for (let step = this.#schedule.next(); step !== undefined; step = this.#schedule.next()) this.#do(step);
    this.#isAdvancing = false;
  }

  #do(step: Step): void {
    switch (step.do) {
      case 'claim':
        return this.#claim.claim(step.group);
      case 'run':
        return this.#claim.enter(step.record);
      case 'follow':
        return this.#follow(step.record, step.leader);
      case 'pass':
        return this.#leave(step.record);
      case 'drop':
        this.#notStart(step.record, step.why);
        return this.#leave(step.record);
      case 'withdraw':
        return this.#withdraw(step.record, step.why);
    }
  }

  /** Nearly always it is held, and runs. */
  claimed(attempt: BatchAttempt): void {
    if (attempt.state === 'refused') this.#refused(attempt, attempt.refusal as Refusal);
    // rule: crashed-run-last
    else if (attempt.crashes > 0 && !this.#schedule.isAlone) this.#putOff(attempt);
    else this.#run.offer(attempt);
  }

  answered(): void {
    this.#context.claims.settlements.flushIfIdle(); // what was refused brings no settlement to wait for
    this.#advance();
  }

  over(attempt: BatchAttempt): void {
    this.#run.over(attempt);
    this.#makeRoom(attempt.of);
    const outcome = settleEnd(attempt);
    if (outcome === undefined) return this.#doSteps();
    this.#close(attempt.of, outcome);
    this.answered();
  }

  settled(attempt: BatchAttempt, settled: Settled): void {
    this.#close(attempt.of, outcomeOfSettled(attempt, settled, this.#context));
  }

  #close(record: PlannedRecord, outcome: RecordOutcome): void {
    this.#context.ledger.finish(record, outcome);
    this.#schedule.noteEnd(record, 'ended');
    this.#leave(record);
  }

  /** Nothing of it is on its way any more but its dead letter: then what stands behind it in its lane is next. */
  #leave(record: PlannedRecord): void {
    const { ledger, settings } = this.#context;
    const { deadLetter } = settings;
    if (deadLetter === undefined) {
      return this.#schedule.leave(record, isAcknowledged(ledger.outcomeOf(record)));
    }
    deadLetter.send(record, this.#context).then(
      () => {
        this.#leaveNow(record);
        this.#advance();
      },
      (thrown: unknown) => this.fail(thrown),
    );
  }

  #leaveNow(record: PlannedRecord): void {
    this.#schedule.leave(record, isAcknowledged(this.#context.ledger.outcomeOf(record)));
  }

  /** It has ended, or needs no claim, no slot and no settlement any more. */
  #makeRoom(record: PlannedRecord): void {
    this.#context.claims.activity.busy -= 1;
    if (this.#run.gathering !== undefined) this.#run.gathering.startIfComplete();
    this.#schedule.makeRoom(record);
  }

  // The other ways.

  /** The key is not free, or the store did not say: everything but a duplicate comes back, unless an option says otherwise. */
  #refused(attempt: BatchAttempt, refusal: Refusal): void {
    const { settings, watch, claims, time } = this.#context;
    const { onConflict, onStoreError } = settings;
    if (refusal.status === 'error' && !time.deadline.stop.aborted) {
      if (onStoreError?.goWithout(attempt, refusal.error, this.#context) === true) {
        return this.#run.offer(attempt);
      }
    }
    this.#makeRoom(attempt.of);
    if (refusal.status === 'conflict' && onConflict !== undefined && !attempt.hasWaited) {
      this.#claim.claimAgain(attempt, onConflict).catch((thrown: unknown) => this.fail(thrown));
    } else {
      const { outcome, event } = outcomeOfRefusal(attempt.of, refusal);
      this.#close(attempt.of, outcome);
      watch.notify(event);
    }
    claims.settlements.flushIfIdle();
  }

  notStarted(attempt: BatchAttempt): void {
    const { deadline } = this.#context.time;
    this.#makeRoom(attempt.of);
    this.#notStart(attempt.of, deadline.stop.aborted ? 'deadline' : 'lease-lapsed');
    this.#release(attempt, () => this.#leave(attempt.of));
    this.#advance();
  }

  endedLate(attempt: BatchAttempt, end: HandlerReturned | HandlerThrew): void {
    this.#run.endedLate(attempt);
    if (attempt.hasClaim) void settleLate(attempt, end);
  }

  #follow(record: PlannedRecord, leader: PlannedRecord): void {
    const { ledger, watch } = this.#context;
    const { recordId, key } = record;
    const outcome = outcomeOfFollower(ledger.outcomeOf(leader) as RecordOutcome);
    this.#close(record, outcome);
    if (outcome.status === 'duplicate') watch.notify({ type: 'duplicate', recordId, key, within: 'batch' });
  }

  /**
   * Its last attempt died: it runs alone, and holds no claim until then. If it kills this process, the claims that are held at
   * that time look as if they had.
   */
  #putOff(attempt: BatchAttempt): void {
    const { of: record } = attempt;
    this.#makeRoom(record);
    this.#release(attempt, (isGivenBack) => {
      if (isGivenBack) {
        this.#schedule.putOff(record);
        this.#schedule.rest();
      } else {
        this.#notStart(record, 'lease-lapsed');
        this.#leave(record);
      }
    });
  }

  /** It does not run now. What it has claimed is given back first, because an equal record may want it. */
  #withdraw(record: PlannedRecord, why: 'order' | 'put-off'): void {
    if (why === 'put-off') this.#schedule.putOff(record);
    this.#schedule.makeRoom(record);
    this.#claim.withdraw(record, (attempt) => {
      // rule: withdrawn-claims
      if (attempt?.state === 'held') {
        this.#release(attempt, (isGivenBack) => this.#withdrawn(record, why, isGivenBack));
      } else this.#withdrawn(record, why, true);
    });
  }

  #withdrawn(record: PlannedRecord, why: 'order' | 'put-off', isGivenBack: boolean): void {
    if (why === 'put-off' && isGivenBack) this.#schedule.rest();
    else {
      this.#notStart(record, why === 'order' ? why : 'lease-lapsed');
      this.#leaveNow(record);
    }
  }

  #release(attempt: BatchAttempt, onReleased: (isGivenBack: boolean) => void): void {
    if (!attempt.hasClaim) return onReleased(true);
    release(attempt, (outcome) => onReleased(outcome === 'stored'));
  }

  #notStart(record: PlannedRecord, reason: NotStartedReason): void {
    const { ledger, watch } = this.#context;
    if (ledger.outcomeOf(record) !== undefined) return;
    const { recordId, key } = record;
    ledger.finish(record, { status: 'not-started', reason });
    this.#schedule.noteEnd(record, reason === 'order' ? 'held-back' : 'ended');
    watch.notify({ type: 'notStarted', recordId, key, reason });
  }

  /** Hands back what has not started, and tells what runs to end. */
  #stop(): void {
    const { time, running, host } = this.#context;
    try {
      this.#schedule.stop();
      this.#run.stop();
      this.#advance();
      const why = host === undefined ? DeadlineError : WorkerStoppedError;
      running.stopAll((cause) => new why({ cause }), time.deadline.graceMs);
    } catch (thrown) {
      this.fail(thrown);
    }
  }
}
