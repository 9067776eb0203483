import type { Attempt, Settled } from '../attempts/attempt.ts';
import { DeadlineError, WorkerStoppedError } from '../attempts/errors.ts';
import type { AttemptEnd, HandlerEnd } from '../attempts/handler-end.ts';
import { HandlerRun, type RunsTogether } from '../attempts/handler-run.ts';
import { hostOf } from '../attempts/host.ts';
import { refusalOf } from '../attempts/rules.ts';
import type { NotStartedReason } from '../observe/observer.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Claiming } from './claiming.ts';
import type { ClaimsAhead } from './claims-ahead.ts';
import type { ClaimAnswer, Entry } from './entry.ts';
import { handlerContext } from './handler-context.ts';
import { outcomeOf, outcomeOfRefusal, outcomeWithoutClaim, type RecordOutcome } from './outcomes.ts';
import type { Conflict, Gathering, Handler } from './policy.ts';
import type { RecordHandler } from './record-handler.ts';
import { type Runnable, underClaim } from './runnable.ts';
import type { InvocationScope } from './invocation-scope.ts';
import { Semaphore } from '../base/semaphore.ts';
import { RunWatch } from './run-watch.ts';

/** How a record is claimed: ahead of its turn, with others; or in its turn, by itself. */
export type ClaimTime = 'ahead' | 'in-turn';

/** The way of one record: claimed, run, settled. */
export class RecordRunner {
  readonly #scope: InvocationScope;
  readonly #handler: Handler;
  readonly #claiming: Claiming;
  readonly #claims: ClaimsAhead;
  readonly #slots: Semaphore;
  readonly #gathering: Gathering | undefined;
  readonly #hasBeforeRun: boolean;
  readonly #onRoom: () => void;

  /** `onRoom` is called when there is room for another record. */
  constructor(
    handler: Handler,
    scope: InvocationScope,
    claiming: Claiming,
    claims: ClaimsAhead,
    onRoom: () => void,
  ) {
    const { concurrency } = scope.settings;
    this.#scope = scope;
    this.#handler = handler;
    this.#claiming = claiming;
    this.#claims = claims;
    this.#onRoom = onRoom;
    this.#slots = new Semaphore(concurrency);
    this.#hasBeforeRun = scope.policies.some(({ beforeRun }) => beforeRun !== undefined);
    if (typeof handler === 'object') {
      // Records that could still join: those that are busy, as far as there are slots for them.
      this.#gathering = handler.gather(scope, () => Math.min(scope.activity.busy, concurrency));
    }
  }

  /**
   * Gives the record its outcome. `put-off`: its last attempt died, so it has to run alone, and holds no claim until
   * then: if it kills this process, the claims that are held then look as if they had.
   *
   * One function, and not one for each step: each more that waits is a promise more for each of thousands of records.
   */
  async run(entry: Entry, time: ClaimTime, isAlone: boolean): Promise<'ended' | 'put-off'> {
    let answer = await (time === 'ahead' ? this.#claimAhead(entry) : this.#claimInTurn(entry));
    if (answer.status === 'conflict') answer = await this.#afterConflict(entry, answer);
    if (answer.status === 'held' && answer.attempt.claim.crashes > 0 && !isAlone) {
      this.#endBusy(entry, true);
      return this.#putOff(entry, answer.attempt);
    }
    const runnable = this.#runnableOf(entry, answer);
    if (runnable === undefined) {
      this.#refuse(entry, answer as Exclude<ClaimAnswer, { status: 'held' }>);
      return 'ended';
    }

    const { attempt } = runnable;
    let end: AttemptEnd | HandlerEnd | undefined;
    if (this.#slots.take() || (await this.#slots.turn())) {
      try {
        end = await this.#runInSlot(runnable);
      } finally {
        this.#slots.release();
      }
    }
    this.#endBusy(entry, attempt !== undefined && end?.kind !== 'abandoned');
    if (end === undefined) {
      this.finishNotStarted(entry, this.#isStopped ? 'deadline' : 'lease-lapsed');
      await attempt?.release();
    } else if (end.kind === 'abandoned') {
      // It may still be running, so its claim is left to its lease: no second attempt starts beside it.
      const { error, late } = end;
      entry.finish(attempt?.isCommitted === true ? { status: 'completed' } : { status: 'failed', error });
      if (attempt !== undefined) void late.then((lateEnd) => attempt.settleLate(lateEnd));
    } else {
      entry.finish(
        attempt === undefined ? outcomeWithoutClaim(end) : this.#outcomeOf(entry, await attempt.settle(end)),
      );
    }
    return 'ended';
  }

  /** Gives back the claim of a record that is not run now, where it has one. False: it was lost meanwhile. */
  async giveBack(entry: Entry): Promise<boolean> {
    const answer = await this.#claims.withdraw(entry);
    this.#claims.noteEnded(entry);
    return answer.status !== 'held' || (await answer.attempt.release()) === 'stored';
  }

  finishNotStarted(entry: Entry, reason: NotStartedReason): void {
    if (entry.outcome !== undefined) return;
    entry.finish({ status: 'not-started', reason });
    const { recordId, key } = entry;
    this.#scope.notify({ type: 'notStarted', recordId, key, reason });
  }

  /** It is time to stop: hand back what has not started, and tell what runs to end. */
  stop(): void {
    const { running, deadline, lambda } = this.#scope;
    this.#slots.clear();
    this.#gathering?.stop();
    const why = hostOf(lambda) === undefined ? DeadlineError : WorkerStoppedError;
    for (const run of running.keys()) run.stop((cause) => new why({ cause }), deadline.graceMs);
  }

  /** Another owner holds the key: what a policy makes of that. */
  async #afterConflict(entry: Entry, conflict: Conflict): Promise<ClaimAnswer> {
    for (const policy of this.#scope.policies) {
      if (policy.onConflict === undefined) continue;
      this.#endBusy(entry); // it needs no slot, and no settlement waits for it
      const answer = await policy.onConflict(entry, conflict, this.#claiming);
      this.#scope.activity.busy += 1;
      return answer;
    }
    return conflict;
  }

  /**
   * Busy only from when its claim is asked for: until others have ended and made room it can neither add a settlement
   * nor join a batch, so a record that waited for it would wait for itself.
   */
  #claimAhead(entry: Entry): Promise<ClaimAnswer> {
    const { activity } = this.#scope;
    const isRequested = this.#claims.isRequested(entry);
    const asking = this.#claims.claimOf(entry);
    if (!isRequested) {
      return asking.then((answer) => {
        activity.busy += 1;
        return answer;
      });
    }
    activity.busy += 1;
    return asking;
  }

  async #claimInTurn(entry: Entry): Promise<ClaimAnswer> {
    this.#scope.activity.busy += 1;
    if (this.#isStopped) return { status: 'not-requested' };
    return this.#claiming.ask([entry])[0] as Promise<ClaimAnswer>;
  }

  /** What the record runs as; undefined: it does not. */
  #runnableOf(entry: Entry, answer: ClaimAnswer): Runnable | undefined {
    if (answer.status === 'held') return underClaim(entry, answer.attempt);
    return answer.status === 'error' ? this.#unclaimed(entry, answer.error) : undefined;
  }

  #unclaimed(entry: Entry, error: Error): Runnable | undefined {
    if (this.#isStopped) return undefined;
    for (const policy of this.#scope.policies) {
      const runnable = policy.onClaimError?.(entry, error, this.#scope);
      if (runnable !== undefined) return runnable;
    }
    return undefined;
  }

  /** The key is not free: everything but a duplicate comes back. */
  #refuse(entry: Entry, answer: Exclude<ClaimAnswer, { status: 'held' }>): void {
    if (answer.status === 'not-requested') this.finishNotStarted(entry, 'deadline');
    else {
      const { outcome, event } = outcomeOfRefusal(entry, answer);
      entry.finish(outcome);
      this.#scope.notify(event);
    }
    this.#endBusy(entry);
  }

  async #putOff(entry: Entry, attempt: Attempt): Promise<'ended' | 'put-off'> {
    if ((await attempt.release()) === 'stored') {
      entry.putOff(attempt.claim.crashes);
      return 'put-off';
    }
    this.finishNotStarted(entry, 'lease-lapsed');
    return 'ended';
  }

  /** Undefined: it may not start any more. */
  #runInSlot(runnable: Runnable): Promise<AttemptEnd | HandlerEnd | undefined> | AttemptEnd | undefined {
    const { attempt } = runnable;
    if (this.#isStopped) return undefined;
    const refusal = attempt && refusalOf(attempt.claim, this.#scope.rules);
    if (refusal !== undefined) return { kind: 'refused', error: refusal };
    // Nearly always there is nothing to wait for before the handler is called.
    return typeof this.#handler === 'function' && !this.#hasBeforeRun && this.#isReady(attempt)
      ? this.#call(runnable, this.#handler)
      : this.#prepareAndCall(runnable);
  }

  async #prepareAndCall(runnable: Runnable): Promise<AttemptEnd | HandlerEnd | undefined> {
    const { entry, attempt } = runnable;
    for (const policy of this.#scope.policies) {
      const end = policy.beforeRun === undefined ? undefined : await policy.beforeRun(entry);
      if (end !== undefined) return end;
    }
    if (typeof this.#handler === 'object') {
      const run = await this.#gathering?.enter(runnable);
      return run && this.#call(runnable, run.handler, run.together);
    }
    const { starts } = this.#scope;
    const isReady =
      attempt === undefined || starts.isReady(attempt) || (await starts.ready([attempt])).has(attempt);
    return isReady && !this.#isStopped ? this.#call(runnable, this.#handler) : undefined;
  }

  /** Whether it may start at once: it has no claim, or one that needs neither a write nor a renewal before. */
  #isReady(attempt: Attempt | undefined): boolean {
    return attempt === undefined || this.#scope.starts.isReady(attempt);
  }

  /** Calls the handler, and tells the observer when it starts and how it ends. */
  #call(runnable: Runnable, handler: RecordHandler, together?: RunsTogether): Promise<HandlerEnd> {
    const { running, around } = this.#scope;
    const { entry, attempt, lease, facts } = runnable;
    const record = entry.record as BatchRecord;
    const watch = new RunWatch(this.#scope, facts, record);
    const run = new HandlerRun(lease, this.#scope, together);
    running.set(run, attempt);
    const own = (): unknown => handler(record, handlerContext(run, runnable, this.#scope));
    const host = hostOf(this.#scope.lambda);
    const call = host === undefined ? own : () => host.runHandler(own);
    // What is called together is observed together.
    return run.run(
      around === undefined || together !== undefined ? call : () => around([facts], call),
      watch,
    );
  }

  /** What the settlement makes of the record. */
  #outcomeOf(entry: Entry, settled: Settled): RecordOutcome {
    const outcome = outcomeOf(settled);
    if (outcome.status === 'completed') return outcome;
    if (outcome.status === 'parked' || outcome.status === 'invalid') {
      const { recordId, key } = entry;
      this.#scope.notify({ type: 'parked', recordId, key, error: outcome.error });
    }
    // Not `end`: of a handler that returned after its commit had failed, the effect is not known to be done.
    const isNotStored =
      settled !== 'committed' && settled.end.kind === 'returned' && typeof settled.outcome === 'object';
    return isNotStored ? this.#notStored(entry, outcome, settled.outcome.error) : outcome;
  }

  /** The effect is done, but the store did not take its completion. */
  #notStored(entry: Entry, outcome: RecordOutcome, error: Error): RecordOutcome {
    for (const policy of this.#scope.policies) {
      const other = policy.onCompletionNotStored?.(entry, error, this.#scope);
      if (other !== undefined) return other;
    }
    return outcome;
  }

  get #isStopped(): boolean {
    return this.#scope.deadline.stop.aborted;
  }

  /** `settles`: a settlement of its own follows at once. */
  #endBusy(entry: Entry, settles = false): void {
    this.#scope.activity.busy -= 1;
    this.#gathering?.startIfComplete();
    this.#claims.noteEnded(entry);
    this.#onRoom();
    if (!settles) this.#scope.settlements.flushIfIdle(); // there may be nothing left to batch with
  }
}
