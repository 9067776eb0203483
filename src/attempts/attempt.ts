import { AsyncResource } from 'node:async_hooks';
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

/** The batch, or the call, that attempts belong to. It learns of each of their turns. */
export interface Runner<Of extends Work> {
  /** The attempt is `ended`, or `abandoned`. */
  over(attempt: Attempt<Of>): void;
  /** The handler of an attempt that was abandoned has ended after all. */
  endedLate(attempt: Attempt<Of>, end: HandlerReturned | HandlerThrew): void;
  /** The store has answered to the end of an attempt. */
  settled(attempt: Attempt<Of>, settled: Settled): void;
  /** The store's answers to a request have been passed on. */
  answered(): void;
  /** Something that must not throw has thrown. */
  fail(thrown: unknown): void;
}

type State = 'asked' | 'refused' | 'held' | 'running' | 'ended' | 'abandoned' | 'settling' | 'over' | 'left';

/**
 * One attempt of one key, from the request for its claim to the last word about it: the only object that a record has on its
 * way. It is always in one of these states:
 *
 * | state     | what is true                                                  | left by                                         |
 * |-----------|---------------------------------------------------------------|-------------------------------------------------|
 * | asked     | its claim has been asked for                                  | the store's answer: `held`, `refused`           |
 * | refused   | the key is not free, or the store does not say                | waiting for its owner (`asked`); nobody else    |
 * | held      | it has the claim, or runs without one; nothing has started    | a slot: `running`, `ended` (it may not run);    |
 * |           |                                                               | giving back: `settling`                         |
 * | running   | its handler has been called                                   | the handler: `ended`; its grace: `abandoned`    |
 * | ended     | how it ended is known, and the claim is still held            | settle: `settling`                              |
 * | abandoned | the record has failed, its handler goes on                    | the handler, late: `ended`, and settled alone   |
 * | settling  | the last word about the claim is on its way                   | the store's answer: `over`, `left`              |
 * | over      | nothing of the claim is this attempt's any more               | nobody                                          |
 * | left      | the store did not answer: the row may be this attempt's       | nobody: the lease ends it                       |
 *
 * What stops its handler, and its transaction, are made on first use, which most attempts never come to.
 */
export class Attempt<Of extends Work = Work> implements ObservedAttempt {
  readonly of: Of;
  readonly scope: AttemptScope;
  /** Who learns what becomes of it. */
  readonly runner: Runner<Of>;
  state: State = 'asked';
  owner: string;
  /** The fencing token; 0: it has no claim. */
  attempt = 0;
  releases = 0;
  crashes = 0;
  leaseUntil = 0;
  /** Whether its turn has come: it may run once it has its claim. */
  isInTurn = false;
  /** Why it is `refused`. */
  refusal: Refusal | undefined = undefined;
  /** How it ended; of one that was abandoned, how it counts. */
  end: AttemptEnd | undefined = undefined;
  /** What is stored of that. */
  ending: Ending | undefined = undefined;
  /** What its handler commits together with the completion. */
  transaction: Transaction | undefined = undefined;
  /** The others of the same call. */
  together: RunsTogether | undefined = undefined;
  /** When its claim was asked for, and then when its handler was called, in epoch milliseconds. */
  #since: number;
  #stop: HandlerStop | undefined = undefined;

  constructor(of: Of, owner: string, askedAt: number, scope: AttemptScope, runner: Runner<Of>) {
    this.of = of;
    this.scope = scope;
    this.runner = runner;
    this.owner = owner;
    this.#since = askedAt;
  }

  /** What observers know it by. */
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

  /** Without a claim nothing of its end is stored. */
  get hasClaim(): boolean {
    return this.attempt > 0;
  }

  /** Whether its claim is neither settled nor given back, for all that this process knows. */
  get isOpen(): boolean {
    return this.hasClaim && this.state !== 'over' && !this.isCommitted;
  }

  /** Whether its effect and its completion are written: nothing of its claim remains to be. */
  get isCommitted(): boolean {
    return this.transaction?.isStored === true;
  }

  /** The store's answer: `asked` → `held`, or `refused`. */
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
    const durationMs = time.clock.now() - this.#since;
    watch.notify({ type: 'claimed', ...facts, leaseUntil: outcome.leaseUntil, durationMs });
    if (outcome.tookOver) watch.notify({ type: 'tookOver', ...facts, crashes: outcome.crashes });
  }

  /** Its key is another owner's, and it waits: `refused` → `asked`. */
  askAgain(owner: string, askedAt: number): void {
    this.state = 'asked';
    this.owner = owner;
    this.#since = askedAt;
  }

  /** It runs without a claim: `refused` → `held`. */
  goWithout(owner: string, leaseUntil: number): void {
    this.state = 'held';
    this.owner = owner;
    this.leaseUntil = leaseUntil;
  }

  /** Its handler is not called: `held` → `ended`. */
  refuse(end: AttemptEnd): void {
    this.state = 'ended';
    this.end = end;
  }

  /** Calls the handler with the attempt: `held` → `running`. */
  run(handler: (attempt: this) => unknown): void {
    const { watch, time } = this.scope;
    if (this.state !== 'held') throw new Error(`An attempt that is ${this.state} cannot run`); // a bug, and twice is worse
    this.state = 'running';
    if (time.timeoutMs !== undefined) this.#watchTime(time.timeoutMs);
    this.#since = time.clock.now();
    if (watch.wants.started) watch.notify({ type: 'started', ...this.facts });
    let returning: Promise<unknown>;
    try {
      // In a context of its own: what it sets with `enterWith` must not reach the next that starts in this turn.
      returning = Promise.resolve(new AsyncResource('batchlatch').runInAsyncScope(handler, undefined, this));
    } catch (thrown) {
      returning = Promise.reject(thrown);
    }
    // Bound: two closures and what they share take 56 bytes more.
    void returning.then(this.#noteReturn.bind(this), this.#noteThrow.bind(this));
  }

  /** Aborts the signal. After `graceMs` the handler is not waited for any longer; without a grace it is. */
  stop(reason: StopReason, graceMs?: number): void {
    if (this.state !== 'running') return;
    const { watch, time } = this.scope;
    if (this.stopping.abort(reason)) watch.stuck?.watch(this);
    if (graceMs !== undefined) {
      this.stopping.startGrace(time.clock, graceMs, () => this.#abandon(reason()));
    }
  }

  /** The lease is over, or another owner's. */
  stopForLease(): void {
    this.stop((cause) => new LeaseLostError({ cause }));
  }

  /** What stops its handler. */
  get stopping(): HandlerStop {
    this.#stop ??= new HandlerStop();
    return this.#stop;
  }

  /** Whether its handler has seen that its signal was aborted. */
  get hasSeenAbort(): boolean {
    return this.#stop !== undefined && this.#stop.hasSeenAbort;
  }

  /** Whether it was told to stop. */
  get isStopped(): boolean {
    return this.#stop?.reason !== undefined;
  }

  /** The store has answered to the last word: `settling` → `over`, or `left`. */
  noteAnswer(outcome: Settled): void {
    this.state = typeof outcome === 'object' ? 'left' : 'over';
  }

  #noteReturn(result: unknown): void {
    // Nearly always: nobody has looked at the signal, and nobody else's counts.
    const isPlain = this.#stop === undefined && this.together === undefined;
    if (isPlain || this.isCommitted) return this.#noteEnd({ kind: 'returned', result });
    // rule: seen-together
    const seen = this.together === undefined ? this.#stop : this.together.whoHasSeenAbort();
    this.#noteEnd(endOfReturn(result, this.#stop, seen));
  }

  #noteThrow(thrown: unknown): void {
    this.#noteEnd(endOfThrow(thrown, this.#stop));
  }

  /** The handler has ended: `running`, or `abandoned`, → `ended`. */
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

  /** Its grace is over: `running` → `abandoned`. */
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
    const ended = { ...this.facts, durationMs: time.clock.now() - this.#since };
    watch.notify(type === 'succeeded' ? { type, ...ended } : { type, ...ended, error });
  }
}
