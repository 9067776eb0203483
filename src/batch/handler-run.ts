import type { Context } from 'aws-lambda';
import { ATTEMPT, type AttemptHandle } from '../claims/attempt-handle.ts';
import { waitAtMost } from '../claims/clock.ts';
import { type Attempt, heartbeatOf, type InvocationScope, leaseMsNow } from './attempt.ts';
import { forgetLongBody } from '../sources/text-record.ts';
import { WatchedSignal } from '../claims/watched-signal.ts';
import { InterruptedError, LeaseLostError, RecordTimeoutError } from './errors.ts';
import type { HandlerEnd, HandlerReturn } from './handler-end.ts';
import type { RecordContext, RecordHandler } from './record-handler.ts';

/** A timer that fires so late was kept from it by a busy event loop. */
const BUSY_LOOP_MS = 250;
/** How long a handler whose lease is over runs on while its renewal is asked for. */
const LATE_RENEWAL_MS = 1_000;

/** Makes the error that says why a handler was stopped; what the handler then threw is its cause. */
export type StopReason = (cause?: unknown) => Error;

/**
 * One run of a handler, bounded by `recordTimeoutMs` and its lease, and by whoever calls `stop`. A class,
 * because there is one for each record: what most handlers never look at is made when they do.
 */
export class HandlerRun {
  readonly #attempt: Attempt;
  readonly #scope: InvocationScope;
  /** The runs of one call of a batch handler, this one included: what it sees of one is seen of all. */
  readonly #together: RunsTogether | undefined;
  #watched: WatchedSignal | undefined;
  #stopReason: StopReason | undefined;
  #isDone = false;
  /** The batch does not wait for it any longer. */
  #isOver = false;
  #end: ((end: HandlerEnd) => void) | undefined;
  #returned: Promise<HandlerReturn> | undefined;
  #cancelTimeout: (() => void) | undefined;
  #cancelGrace: (() => void) | undefined;
  #cancelLease: (() => void) | undefined;

  constructor(attempt: Attempt, scope: InvocationScope, together?: RunsTogether) {
    this.#attempt = attempt;
    this.#scope = scope;
    this.#together = together?.add(this);
  }

  /** Calls the handler. Resolves when it has ended, or when it was stopped and its grace is over. */
  async run(handler: RecordHandler): Promise<HandlerEnd> {
    const { recordTimeoutMs } = this.#scope.settings;
    this.watchLease();
    if (recordTimeoutMs !== undefined) this.#boundBy(recordTimeoutMs);
    const ended = new Promise<HandlerEnd>((resolve) => {
      this.#end = resolve;
    });
    this.#returned = this.#call(handler);
    void this.#returned.then(this.#end);
    const end = await ended;
    this.#isOver = true;
    this.#cancelTimeout?.();
    this.#cancelGrace?.();
    this.#cancelLease?.();
    return end;
  }

  /**
   * Aborts the signal. After `graceMs` the batch goes on without the handler; without a grace it keeps
   * waiting for it.
   */
  stop(reason: StopReason, graceMs?: number): void {
    if (this.#stopReason === undefined) {
      this.#stopReason = reason;
      this.#watched?.abort(reason());
    }
    if (graceMs === undefined || this.#cancelGrace !== undefined) return;
    this.#cancelGrace = this.#scope.ports.clock.setTimer(() => {
      this.#end?.({
        kind: 'abandoned',
        error: reason(),
        late: this.#returned as Promise<HandlerReturn>,
      });
    }, graceMs);
  }

  get attempt(): Attempt {
    return this.#attempt;
  }

  get signal(): AbortSignal {
    if (this.#watched === undefined) {
      this.#watched = new WatchedSignal();
      if (this.#stopReason !== undefined) this.#watched.abort(this.#stopReason());
    }
    return this.#watched.signal;
  }

  /** The handler says that it has finished, whatever it has seen. */
  noteDone(): void {
    this.#isDone = true;
  }

  /**
   * Tells the handler when its lease is over; it is then still waited for, because its end is stored if
   * nobody took over. Where the lease outlives the invocation, as by default, the deadline comes first.
   */
  watchLease(): void {
    const { deadline, ports } = this.#scope;
    const { leaseUntil } = this.#attempt.claim;
    this.#cancelLease?.();
    this.#cancelLease = undefined;
    if (leaseUntil > deadline.endsAt || this.#stopReason !== undefined || this.#attempt.isCommitted) return;
    if (this.#isOver) return;
    this.#cancelLease = ports.clock.setTimer(() => void this.#endLease(), leaseUntil - ports.clock.now());
  }

  /**
   * The lease is over. Where it should have been renewed and the event loop was too busy to, it may still be: nobody
   * need have taken over.
   */
  async #endLease(): Promise<void> {
    const { clock } = this.#scope.ports;
    const isLate = clock.now() - this.#attempt.claim.leaseUntil >= BUSY_LOOP_MS;
    if (isLate && heartbeatOf(this.#scope) !== undefined) {
      const renewal = this.#attempt.extend(leaseMsNow(this.#scope));
      await waitAtMost(clock, LATE_RENEWAL_MS, renewal);
      if (this.#isOver) return;
      if (this.#attempt.claim.leaseUntil > clock.now()) {
        this.watchLease();
        return;
      }
    }
    this.stop((cause) => new LeaseLostError({ cause }));
  }

  #boundBy(timeoutMs: number): void {
    const { deadline, ports } = this.#scope;
    this.#cancelTimeout = ports.clock.setTimer(
      () => this.stop((cause) => new RecordTimeoutError(timeoutMs, { cause }), deadline.graceMs),
      timeoutMs,
    );
  }

  get hasSeenAbort(): boolean {
    return this.#watched?.hasSeenAbort === true;
  }

  /** Returning is not finishing for a handler that was told to stop and has seen it. */
  #interruption(result: unknown): InterruptedError | undefined {
    if (this.#isDone || this.#attempt.isCommitted) return undefined;
    const whoHasSeen = this.#together === undefined ? this : this.#together.whoHasSeenAbort();
    if (whoHasSeen?.hasSeenAbort !== true) return undefined;
    // A batch handler that was to stop for another record's sake, and still has an answer for this one, has done it.
    if (this.#stopReason === undefined && result !== undefined) return undefined;
    return new InterruptedError({ cause: (this.#stopReason ?? whoHasSeen.#stopReason)?.() });
  }

  async #call(handler: RecordHandler): Promise<HandlerReturn> {
    const record = this.#attempt.entry.record as Parameters<RecordHandler>[0];
    try {
      const result = await handler(record, new HandlerContext(this, this.#attempt, this.#scope));
      const interruption = this.#interruption(result);
      if (interruption === undefined) return { kind: 'returned', result };
      return { kind: 'threw', error: interruption, wasAborted: true };
    } catch (error) {
      return this.#stopReason === undefined
        ? { kind: 'threw', error, wasAborted: false }
        : { kind: 'threw', error: this.#stopReason(error), wasAborted: true };
    } finally {
      forgetLongBody(record);
    }
  }
}

/** The runs of one call of a batch handler. */
export class RunsTogether {
  readonly #runs: HandlerRun[] = [];
  #seen: { readonly by: HandlerRun | undefined } | undefined;

  add(run: HandlerRun): this {
    this.#runs.push(run);
    return this;
  }

  /** To be asked when the handler has ended; of thousands of runs, the first that asks looks at all of them. */
  whoHasSeenAbort(): HandlerRun | undefined {
    this.#seen ??= { by: this.#runs.find(({ hasSeenAbort }) => hasSeenAbort) };
    return this.#seen.by;
  }
}

/** What the handler sees of its run. Its functions are made when they are looked at, so that they can be destructured. */
class HandlerContext implements RecordContext {
  readonly #run: HandlerRun;
  readonly #attempt: Attempt;
  readonly #scope: InvocationScope;

  constructor(run: HandlerRun, attempt: Attempt, scope: InvocationScope) {
    this.#run = run;
    this.#attempt = attempt;
    this.#scope = scope;
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get done(): () => void {
    return () => this.#run.noteDone();
  }

  get idempotencyKey(): string {
    return this.#attempt.entry.key;
  }

  get attempt(): number {
    return this.#attempt.claim.attempt;
  }

  get leaseUntil(): number {
    return this.#attempt.claim.leaseUntil;
  }

  get lambda(): Context | undefined {
    return this.#scope.lambda;
  }

  get remainingTimeMs(): () => number {
    return () => this.#scope.deadline.remainingTimeMs();
  }

  get [ATTEMPT](): AttemptHandle {
    return {
      completeWith: async (effect, result) => {
        await this.#attempt.commit(effect, result);
        this.#run.watchLease(); // a completed claim has no lease to lose
      },
    };
  }

  get extendLease(): (leaseMs: number) => Promise<void> {
    return async (leaseMs) => {
      if (!Number.isSafeInteger(leaseMs) || leaseMs < 1) {
        throw new RangeError(`Expected \`leaseMs\` to be an integer from 1 up, got \`${leaseMs}\``);
      }
      const outcome = await this.#attempt.extend(leaseMs);
      if (outcome === 'lost') throw new LeaseLostError();
      if (outcome !== 'stored') throw outcome.error;
      this.#run.watchLease();
    };
  }
}
