import { waitAtMost } from '../base/clock.ts';
import { InterruptedError, LeaseLostError, RecordTimeoutError } from './errors.ts';
import type { HandlerEnd, HandlerReturned, HandlerThrew } from './handler-end.ts';
import type { Lease } from './lease.ts';
import type { AttemptScope } from './scope.ts';
import { WatchedSignal } from './watched-signal.ts';

/** A timer that fires so late was delayed by a busy event loop. */
const BUSY_LOOP_MS = 250;
/** How long a handler whose lease is over runs on while its renewal is asked for. */
const LATE_RENEWAL_MS = 1_000;

/** Makes the error that says why a handler was stopped; what the handler then threw is its cause. */
export type StopReason = (cause?: unknown) => Error;

/** The runs of one call of a handler that has many records: what it sees of one counts for all. */
export interface RunsTogether {
  add(run: HandlerRun): void;
  /** To be asked when the handler has ended. */
  whoHasSeenAbort(): HandlerRun | undefined;
}

/** Who wants to know of a run's turns. */
export interface RunHooks {
  /** The signal is aborted. */
  onStop(): void;
  /** The handler has ended, in time or later. */
  onEnd(): void;
  /** It is not waited for any longer: it has ended, or was given up. */
  onOver(end: HandlerEnd, run: HandlerRun): void;
}

/**
 * One run of a handler, bounded by its timeout and its lease, and by `stop`. A class, because there is
 * one for each record: what most handlers never use is made on first use.
 */
export class HandlerRun {
  readonly lease: Lease;
  /** Where the handler sees the end of its lease, which is kept up to date. */
  shownTo: { leaseUntil: number } | undefined;
  readonly #scope: AttemptScope;
  readonly #together: RunsTogether | undefined;
  #hooks: RunHooks | undefined;
  #watched: WatchedSignal | undefined;
  #stopReason: StopReason | undefined;
  #isDone = false;
  /** It is no longer awaited. */
  #isOver = false;
  #resolve: ((end: HandlerEnd) => void) | undefined;
  /** Of a run that is not waited for any longer. */
  #resolveLate: ((end: HandlerReturned | HandlerThrew) => void) | undefined;
  #cancelTimeout: (() => void) | undefined;
  #cancelGrace: (() => void) | undefined;
  #cancelLease: (() => void) | undefined;

  constructor(lease: Lease, scope: AttemptScope, together?: RunsTogether) {
    this.lease = lease;
    this.#scope = scope;
    this.#together = together;
    together?.add(this);
  }

  /**
   * Calls the handler. Resolves when it has ended, or when it was stopped and its grace is over: it may end later.
   */
  run(handler: () => unknown, hooks?: RunHooks): Promise<HandlerEnd> {
    this.#hooks = hooks;
    this.watchLease();
    this.#watchTime();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      void this.#call(handler);
    });
  }

  /** Aborts the signal. After `graceMs` the handler is not waited for any longer; without a grace it is. */
  stop(reason: StopReason, graceMs?: number): void {
    if (this.#stopReason === undefined) {
      this.#stopReason = reason;
      this.#watched?.abort(reason());
      this.#hooks?.onStop();
    }
    if (graceMs === undefined || this.#cancelGrace !== undefined) return;
    this.#cancelGrace = this.#scope.clock.setTimer(() => {
      if (this.#isOver) return;
      const late = new Promise<HandlerReturned | HandlerThrew>((resolve) => {
        this.#resolveLate = resolve;
      });
      this.#end({ kind: 'abandoned', error: reason(), late });
    }, graceMs);
  }

  get signal(): AbortSignal {
    if (this.#watched === undefined) {
      this.#watched = new WatchedSignal();
      if (this.#stopReason !== undefined) this.#watched.abort(this.#stopReason());
    }
    return this.#watched.signal;
  }

  get hasSeenAbort(): boolean {
    return this.#watched?.hasSeenAbort === true;
  }

  /** Whether it was told to stop. */
  get isStopped(): boolean {
    return this.#stopReason !== undefined;
  }

  /** The handler says that it has finished, whatever it has seen. */
  noteDone(): void {
    this.#isDone = true;
  }

  /** For the handler: makes its lease last at least `leaseMs` from now, or rejects. */
  async extendLease(leaseMs: number): Promise<void> {
    if (!Number.isSafeInteger(leaseMs) || leaseMs < 1) {
      throw new RangeError(`Expected \`leaseMs\` to be an integer from 1 up, got \`${leaseMs}\``);
    }
    const outcome = await this.lease.extend(leaseMs);
    if (outcome === 'lost') {
      this.noteLeaseLost();
      throw new LeaseLostError();
    }
    if (outcome !== 'stored') throw outcome.error;
    this.watchLease();
  }

  /** The lease was found to be another owner's. */
  noteLeaseLost(): void {
    if (!this.#isOver) this.stop((cause) => new LeaseLostError({ cause }));
  }

  /**
   * Tells the handler when its lease is over; it is then still awaited, because its end is stored if no one took
   * over. Where the lease outlives the invocation, the deadline comes first.
   */
  watchLease(): void {
    const { deadline, clock } = this.#scope;
    const { leaseUntil, isCommitted } = this.lease;
    if (this.shownTo !== undefined) this.shownTo.leaseUntil = leaseUntil;
    this.#cancelLease?.();
    this.#cancelLease = undefined;
    if (leaseUntil > deadline.endsAt || this.#stopReason !== undefined || isCommitted || this.#isOver) return;
    this.#cancelLease = clock.setTimer(() => void this.#endLease(), leaseUntil - clock.now());
  }

  /**
   * The lease is over. If the event loop was too busy to renew it in time, it is renewed now: perhaps no other attempt
   * has taken over.
   */
  async #endLease(): Promise<void> {
    const { clock, renewal, leaseMs } = this.#scope;
    const overMs = clock.now() - this.lease.leaseUntil;
    if (overMs < 0) return this.watchLease(); // a timer may be shorter than a long lease
    if (overMs >= BUSY_LOOP_MS && renewal !== undefined) {
      await waitAtMost(clock, LATE_RENEWAL_MS, this.lease.extend(leaseMs()));
      if (this.#isOver) return;
      if (this.lease.leaseUntil > clock.now()) return this.watchLease();
    }
    this.stop((cause) => new LeaseLostError({ cause }));
  }

  #watchTime(): void {
    const { timeoutMs, clock, deadline } = this.#scope;
    if (timeoutMs === undefined) return;
    this.#cancelTimeout = clock.setTimer(
      () => this.stop((cause) => new RecordTimeoutError(timeoutMs, { cause }), deadline.graceMs),
      timeoutMs,
    );
  }

  async #call(handler: () => unknown): Promise<void> {
    let end: HandlerReturned | HandlerThrew;
    try {
      end = this.#endOf(await handler());
    } catch (thrown) {
      end = this.#failure(thrown);
    }
    this.#hooks?.onEnd();
    if (this.#resolveLate === undefined) this.#end(end);
    else this.#resolveLate(end);
  }

  #end(end: HandlerEnd): void {
    this.#isOver = true;
    this.#cancelTimeout?.();
    this.#cancelGrace?.();
    this.#cancelLease?.();
    this.#hooks?.onOver(end, this);
    this.#resolve?.(end);
  }

  #endOf(result: unknown): HandlerReturned | HandlerThrew {
    const interruption = this.#interruption(result);
    if (interruption === undefined) return { kind: 'returned', result };
    return { ...threw(interruption), isInconclusive: true, hasSeenAbort: true };
  }

  #failure(thrown: unknown): HandlerThrew {
    if (this.#stopReason === undefined) return threw(thrown);
    return {
      kind: 'threw',
      error: this.#stopReason(thrown),
      thrown,
      isInconclusive: true,
      hasSeenAbort: this.hasSeenAbort && !this.#isDone,
    };
  }

  /** Returning is not finishing for a handler that was told to stop and has seen it. */
  #interruption(result: unknown): InterruptedError | undefined {
    if (this.#isDone || this.lease.isCommitted) return undefined;
    const whoHasSeen = this.#together === undefined ? this : this.#together.whoHasSeenAbort();
    if (whoHasSeen?.hasSeenAbort !== true) return undefined;
    // A batch handler that was to stop for another record's sake, and still has an answer for this one, has done it.
    if (this.#stopReason === undefined && result !== undefined) return undefined;
    return new InterruptedError({ cause: (this.#stopReason ?? whoHasSeen.#stopReason)?.() });
  }
}

function threw(thrown: unknown): HandlerThrew {
  return { kind: 'threw', error: thrown, thrown, isInconclusive: false };
}
