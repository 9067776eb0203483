import { DeadlineError, WorkerStoppedError } from '../attempts/stop-errors.ts';
import type { HandlerReturned, HandlerThrew } from '../attempts/handler-end.ts';
import type { Refusal, Settled } from '../attempts/work.ts';
import { settleLate } from '../attempts/settling.ts';
import { type AfterClaim, ClaimStage, reachOf } from './claim.ts';
import type { BatchAttempt, BatchContext } from './context.ts';
import { NotRun } from './not-run.ts';
import { outcomeOfRefusal } from './outcomes.ts';
import { type AfterRun, type Handler, RunStage } from './run.ts';
import { Schedule } from './schedule.ts';
import { ClaimsAhead } from './schedule-parts.ts';
import { SettleStage } from './settle.ts';
import type { Step } from './step.ts';

/** Claims, runs and settles records in the order of the schedule. Resolves when nothing is pending. */
export function runRecords(handler: Handler, context: BatchContext): Promise<void> {
  return new BatchRun(handler, context).run();
}

class BatchRun implements AfterClaim, AfterRun {
  readonly #context: BatchContext;
  readonly #schedule: Schedule;
  readonly #claim: ClaimStage;
  readonly #run: RunStage;
  readonly #settle: SettleStage;
  readonly #notRun: NotRun;
  /** Attempts that have already waited for another owner of their key. */
  readonly #waited = new Set<BatchAttempt>();
  #isAdvancing = false;
  #resolve!: () => void;
  #reject!: (thrown: unknown) => void;

  constructor(handler: Handler, context: BatchContext) {
    const { host, ledger, settings } = context;
    const reach = reachOf(context, settings.concurrency);
    this.#context = context;
    this.#schedule = new Schedule(ledger.records, {
      ahead: settings.routing?.claimsAhead(ledger.records, reach) ?? new ClaimsAhead(ledger.records, reach),
      isAlone: host?.isAlone === true,
      // Other calls run in this process. Once none does, the host calls with each put-off record alone.
      leavesPutOff: host?.isAlone === false,
    });
    this.#claim = new ClaimStage(context, this.#schedule, this);
    this.#run = new RunStage(handler, context, this);
    this.#settle = new SettleStage(context, this.#schedule, this.#run.gathering, () => this.#advance());
    this.#notRun = new NotRun(context, this.#schedule, this.#claim, this.#settle);
    const fail = (thrown: unknown): void => this.fail(thrown);
    const answered = (): void => this.answered();
    Object.assign(context.watch, { fail, answered });
  }

  run(): Promise<void> {
    const { stop } = this.#context.time.deadline;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (stop.aborted) this.#stop(); // reading took all the time
      else stop.addEventListener('abort', () => this.#stop(), { once: true });
      this.#advance();
    });
  }

  fail(thrown: unknown): void {
    this.#reject(thrown);
  }

  /** Does all steps that are possible now, and resolves when the batch is done. */
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
        return this.#notRun.follow(step.record, step.leader);
      case 'pass':
        return this.#settle.leave(step.record);
      case 'drop':
        this.#settle.notStart(step.record, step.why);
        return this.#settle.leave(step.record);
      case 'withdraw':
        return this.#notRun.withdraw(step.record, step.why);
    }
  }

  claimed(attempt: BatchAttempt): void {
    if (attempt.state === 'refused') this.#refused(attempt, attempt.refusal as Refusal);
    // rule: crashed-run-last
    else if (attempt.crashes > 0 && !this.#schedule.isAlone) this.#notRun.putOff(attempt);
    else this.#run.offer(attempt);
  }

  answered(): void {
    this.#context.claims.settlements.flushIfIdle(); // a refused record brings no settlement to wait for
    this.#advance();
  }

  over(attempt: BatchAttempt): void {
    this.#run.over(attempt);
    if (this.#settle.settle(attempt)) this.answered();
    else this.#doSteps();
  }

  settled(attempt: BatchAttempt, settled: Settled): void {
    this.#settle.settled(attempt, settled);
  }

  /** Handles a refused claim: only duplicates are acknowledged, unless an option says otherwise. */
  #refused(attempt: BatchAttempt, refusal: Refusal): void {
    const { settings, watch, claims, time } = this.#context;
    const { onConflict, onStoreError } = settings;
    // After a wait, another owner is known to have run it a moment ago, and perhaps still does.
    if (refusal.status === 'error' && !this.#waited.has(attempt) && !time.deadline.stop.aborted) {
      if (onStoreError?.goWithout(attempt, refusal.error, this.#context) === true) {
        return this.#run.offer(attempt);
      }
    }
    this.#settle.makeRoom(attempt.of);
    if (refusal.status === 'conflict' && onConflict !== undefined && !this.#waited.has(attempt)) {
      this.#waited.add(attempt);
      this.#claim.claimAgain(attempt, onConflict).catch((thrown: unknown) => this.fail(thrown));
    } else {
      const { outcome, event } = outcomeOfRefusal(attempt.of, refusal);
      watch.notify(event); // before the outcome: spans end with it, and show this error
      this.#settle.close(attempt.of, outcome);
    }
    claims.settlements.flushIfIdle();
  }

  notStarted(attempt: BatchAttempt): void {
    this.#notRun.handBack(attempt);
    this.#advance();
  }

  endedLate(attempt: BatchAttempt, end: HandlerReturned | HandlerThrew): void {
    this.#run.endedLate(attempt);
    if (attempt.hasClaim) void settleLate(attempt, end);
  }

  /** Hands back records that have not started, and asks running handlers to stop. */
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
