import { builtIn } from '../base/built-in.ts';
import type { AcquireOutcome } from '../claims/claim-store.ts';
import type { ObservedAttempt } from '../observe/observer.ts';
import type { Ending } from './ending.ts';
import { LeaseLostError, RecordTimeoutError } from './stop-errors.ts';
import {
  type AttemptEnd,
  endOfReturn,
  endOfThrow,
  type HandlerReturned,
  HandlerStop,
  type HandlerThrew,
  type RunsTogether,
} from './handler-end.ts';
import type { AttemptScope } from './scope.ts';
import type { Transaction } from './transaction.ts';
import type { Refusal, Settled, StopReason, Work } from './work.ts';

const { AsyncResource } = builtIn('node:async_hooks');

/** The batch or call that attempts belong to. It is notified of their state changes. */
export interface Runner<Of extends Work> {
  /** The attempt is `ended` or `abandoned`. */
  over(attempt: Attempt<Of>): void;
  /** The handler of an abandoned attempt has ended after all. */
  endedLate(attempt: Attempt<Of>, end: HandlerReturned | HandlerThrew): void;
  /** The store has answered the settlement of an attempt. */
  settled(attempt: Attempt<Of>, settled: Settled): void;
  /** All answers to a request have been passed on. */
  answered(): void;
  /** A callback that must not throw has thrown. */
  fail(thrown: unknown): void;
}

type State = 'asked' | 'refused' | 'held' | 'running' | 'ended' | 'abandoned' | 'settling' | 'over' | 'left';

/**
 * An attempt at one key, from the request for its claim to its settlement. It is the only object that a
 * record has while it is processed, and always in one of these states:
 *
 * | state     | meaning                                          | next                                    |
 * |-----------|--------------------------------------------------|-----------------------------------------|
 * | asked     | its claim has been requested                     | store's answer: `held`, `refused`       |
 * | refused   | the key is not free, or the store did not answer | retry: `asked`; without claim: `held`   |
 * | held      | it has its claim or needs none; not started      | slot: `running`; must not run: `ended`; |
 * |           |                                                  | released: `settling`                    |
 * | running   | its handler has been called                      | end: `ended`; grace over: `abandoned`   |
 * | ended     | its end is known; the claim is still held        | settlement: `settling`                  |
 * | abandoned | the record failed, but its handler still runs    | late end: `ended`, settled separately   |
 * | settling  | its settlement has been requested                | store's answer: `over`, `left`          |
 * | over      | the claim is no longer this attempt's            | none                                    |
 * | left      | no answer: the claim may still be held           | none: the lease lapses                  |
 *
 * The handler's stop and the transaction are created on first use; most attempts need neither.
 */
export class Attempt<Of extends Work = Work> implements ObservedAttempt {
  readonly of: Of;
  readonly scope: AttemptScope;
  readonly runner: Runner<Of>;
  state: State = 'asked';
  owner: string;
  /** The fencing token; 0 means that the attempt has no claim. */
  attempt = 0;
  releases = 0;
  crashes = 0;
  leaseUntil = 0;
  /** Whether its turn has come: it may run once it has its claim. */
  isInTurn = false;
  refusal: Refusal | undefined = undefined;
  /** How it ended; for an abandoned attempt, how it counts. */
  end: AttemptEnd | undefined = undefined;
  ending: Ending | undefined = undefined;
  /** The transaction that its handler commits. */
  transaction: Transaction | undefined = undefined;
  together: RunsTogether | undefined = undefined;
  /**
   * When its claim was requested or, later, when its handler was called, in whole milliseconds from the start
   * of the invocation: a small integer takes 16 bytes less than a time.
   */
  #since: number;
  #stop: HandlerStop | undefined = undefined;

  constructor(of: Of, owner: string, askedAt: number, scope: AttemptScope, runner: Runner<Of>) {
    this.of = of;
    this.scope = scope;
    this.runner = runner;
    this.owner = owner;
    this.#since = Math.trunc(askedAt - scope.time.startedAt);
  }

  /** The identity of the attempt for observers. */
  get facts(): ObservedAttempt {
    const { recordId, key, owner, attempt } = this;
    return { recordId, key, owner, attempt };
  }

  get key(): string {
    return this.of.key;
  }

  get recordId(): string {
    return this.of.recordId;
  }

  /** Whether it has a claim. Without one, its end is not stored. */
  get hasClaim(): boolean {
    return this.attempt > 0;
  }

  /** Whether, as far as this process knows, the claim is neither settled nor released. */
  get isOpen(): boolean {
    return this.hasClaim && this.state !== 'over' && !this.isCommitted;
  }

  /** Whether a transaction has stored its effect and completion, so that nothing is left to settle. */
  get isCommitted(): boolean {
    return this.transaction?.isStored === true;
  }

  /** Takes the store's answer: `asked` → `held` or `refused`. */
  answer(outcome: AcquireOutcome): void {
    if (outcome.status !== 'acquired') {
      this.state = 'refused';
      this.refusal = outcome;
      return;
    }
    this.state = 'held';
    this.attempt = outcome.attempt;
    this.releases = outcome.releases;
    this.crashes = outcome.crashes;
    this.leaseUntil = outcome.leaseUntil;
    const { watch, time } = this.scope;
    if (!watch.wants.claimed && !outcome.tookOver) return;
    const facts = this.facts;
    const durationMs = time.clock.now() - time.startedAt - this.#since;
    watch.notify({ type: 'claimed', ...facts, leaseUntil: outcome.leaseUntil, durationMs });
    if (outcome.tookOver) watch.notify({ type: 'tookOver', ...facts, crashes: outcome.crashes });
  }

  /** Waits for another owner of the key: `refused` → `asked`. */
  askAgain(owner: string, askedAt: number): void {
    this.state = 'asked';
    this.owner = owner;
    this.#since = Math.trunc(askedAt - this.scope.time.startedAt);
  }

  /** Runs without a claim: `refused` → `held`. */
  goWithout(owner: string, leaseUntil: number): void {
    this.state = 'held';
    this.owner = owner;
    this.leaseUntil = leaseUntil;
  }

  /** Ends without a call of the handler: `held` → `ended`. */
  refuse(end: AttemptEnd): void {
    this.state = 'ended';
    this.end = end;
  }

  /** Calls the handler: `held` → `running`. */
  run(handler: (attempt: this) => unknown): void {
    const { watch, time } = this.scope;
    // A bug; running twice is worse.
    if (this.state !== 'held') throw new Error(`An attempt that is ${this.state} cannot run`);
    this.state = 'running';
    if (time.timeoutMs !== undefined) this.#watchTime(time.timeoutMs);
    this.#since = Math.trunc(time.clock.now() - time.startedAt);
    if (watch.wants.started) watch.notify({ type: 'started', ...this.facts });
    let returning: Promise<unknown>;
    try {
      // An async context of its own: `enterWith` must not affect the next handler that starts in this turn.
      returning = Promise.resolve(new AsyncResource('batchlatch').runInAsyncScope(handler, undefined, this));
    } catch (thrown) {
      returning = Promise.reject(thrown);
    }
    // `bind` takes 56 bytes less than two closures and their shared scope.
    void returning.then(this.#noteReturn.bind(this), this.#noteThrow.bind(this));
  }

  /** Aborts the signal. With `graceMs`, the handler is awaited no longer than that; without, to its end. */
  stop(reason: StopReason, graceMs?: number): void {
    if (this.state !== 'running') return;
    const { watch, time } = this.scope;
    if (this.stopping.abort(reason)) watch.stuck?.watch(this);
    if (graceMs !== undefined) {
      this.stopping.startGrace(time.clock, graceMs, () => this.#abandon(reason()));
    }
  }

  /** Stops the handler because the lease is over or another owner has the claim. */
  stopForLease(): void {
    this.stop((cause) => new LeaseLostError({ cause }));
  }

  get stopping(): HandlerStop {
    this.#stop ??= new HandlerStop();
    return this.#stop;
  }

  get hasSeenAbort(): boolean {
    return this.#stop !== undefined && this.#stop.hasSeenAbort;
  }

  get isStopped(): boolean {
    return this.#stop?.reason !== undefined;
  }

  /** Takes the store's answer to the settlement: `settling` → `over` or `left`. */
  noteAnswer(outcome: Settled): void {
    this.state = typeof outcome === 'object' ? 'left' : 'over';
  }

  #noteReturn(result: unknown): void {
    // The common case: nobody has looked at the signal, and no other attempt's signal counts.
    const isPlain = this.#stop === undefined && this.together === undefined;
    if (isPlain || this.isCommitted) return this.#noteEnd({ kind: 'returned', result });
    // rule: seen-together
    const seen = this.together === undefined ? this.#stop : this.together.whoHasSeenAbort();
    this.#noteEnd(endOfReturn(result, this.#stop, seen));
  }

  #noteThrow(thrown: unknown): void {
    this.#noteEnd(endOfThrow(thrown, this.#stop));
  }

  /** Notes the end of the handler: `running` or `abandoned` → `ended`. */
  #noteEnd(end: HandlerReturned | HandlerThrew): void {
    if (this.isStopped) this.scope.watch.stuck?.noteEnd(this);
    const isLate = this.state === 'abandoned';
    this.state = 'ended';
    if (isLate) return this.runner.endedLate(this, end);
    this.end = end;
    if (end.kind === 'threw') this.#tell('failed', end.error);
    else if (this.scope.watch.wants.succeeded) this.#tell('succeeded');
    this.#leave();
  }

  /** Stops waiting after the grace: `running` → `abandoned`. */
  #abandon(error: Error): void {
    if (this.state !== 'running') return;
    this.state = 'abandoned';
    this.end = { kind: 'threw', error, thrown: error, isInconclusive: true };
    this.#tell('abandoned', error);
    this.#leave();
  }

  #leave(): void {
    this.#stop?.cancelTimers();
    try {
      this.runner.over(this);
    } catch (thrown) {
      this.runner.fail(thrown);
    }
  }

  #watchTime(timeoutMs: number): void {
    const { clock, deadline } = this.scope.time;
    const reason: StopReason = (cause) => new RecordTimeoutError(timeoutMs, { cause });
    this.stopping.startTimeout(clock, timeoutMs, () => this.stop(reason, deadline.graceMs));
  }

  #tell(type: 'succeeded' | 'failed' | 'abandoned', error?: unknown): void {
    const { watch, time } = this.scope;
    const durationMs = time.clock.now() - time.startedAt - this.#since;
    const { facts } = this;
    watch.notify(
      type === 'succeeded' ? { type, ...facts, durationMs } : { type, ...facts, durationMs, error },
    );
  }
}
