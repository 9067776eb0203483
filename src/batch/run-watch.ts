import type { HandlerEnd } from '../attempts/handler-end.ts';
import type { HandlerRun, RunHooks } from '../attempts/handler-run.ts';
import type { Running } from '../attempts/running.ts';
import type { AttemptScope } from '../attempts/scope.ts';
import type { Clock } from '../base/clock.ts';
import type { ObservedAttempt } from '../observe/observer.ts';
import type { BatchRecord } from '../sources/record.ts';
import { forgetLongBody } from '../sources/text-record.ts';

/**
 * After so long a handler that was told to stop is not stopping any more. What ends at its signal ends in milliseconds, and
 * what has to cancel a query or a request first within a second or two; a function of 30 s still has time to tell.
 */
const STUCK_AFTER_MS = 5_000;

/** Looks after the runs of one invocation whose signals were aborted. */
export class StuckHandlers {
  readonly #stopped = new Set<RunWatch>();
  isOver = false;

  watch(run: RunWatch): void {
    this.#stopped.add(run);
  }

  forget(run: RunWatch): void {
    this.#stopped.delete(run);
  }

  /** The invocation is over, and none of its timers outlives it. What ends later still tells. */
  leave(): void {
    this.isOver = true;
    for (const run of this.#stopped) run.cancel();
    this.#stopped.clear();
  }
}

interface WatchScope extends Pick<AttemptScope, 'clock' | 'notify'> {
  readonly stuckHandlers: StuckHandlers;
  readonly running: Running;
}

/** One run: tells the observer that it starts, how it ends, and when its handler is stuck. */
export class RunWatch implements RunHooks {
  readonly #scope: WatchScope;
  readonly #facts: ObservedAttempt;
  readonly #record: BatchRecord;
  readonly #startedAt: number;
  #stoppedAt: number | undefined;
  #cancel: (() => void) | undefined;
  #isDone = false;

  constructor(scope: WatchScope, facts: ObservedAttempt, record: BatchRecord) {
    this.#scope = scope;
    this.#facts = facts;
    this.#record = record;
    this.#startedAt = scope.clock.now();
    const { recordId, key, owner, attempt } = facts; // spread, for thousands of records, it is expensive
    scope.notify({ type: 'started', recordId, key, owner, attempt });
  }

  onOver(end: HandlerEnd, run: HandlerRun): void {
    const { clock, notify, running } = this.#scope;
    running.delete(run);
    const durationMs = clock.now() - this.#startedAt;
    const { recordId, key, owner, attempt } = this.#facts;
    if (end.kind === 'returned') notify({ type: 'succeeded', recordId, key, owner, attempt, durationMs });
    else {
      const type = end.kind === 'threw' ? 'failed' : 'abandoned';
      notify({ type, recordId, key, owner, attempt, durationMs, error: end.error });
    }
  }

  onStop(): void {
    const { clock, stuckHandlers } = this.#scope;
    if (this.#isDone || stuckHandlers.isOver) return; // it has ended, which its caller has not seen yet
    this.#stoppedAt = clock.now();
    this.#cancel = clock.setTimer(() => this.#tell(clock, false), STUCK_AFTER_MS);
    stuckHandlers.watch(this);
  }

  onEnd(): void {
    forgetLongBody(this.#record);
    const { clock, stuckHandlers } = this.#scope;
    if (this.#stoppedAt !== undefined && !this.#isDone) {
      this.cancel();
      stuckHandlers.forget(this);
      if (clock.now() - this.#stoppedAt >= STUCK_AFTER_MS) this.#tell(clock, true);
    }
    this.#isDone = true;
  }

  cancel(): void {
    this.#cancel?.();
  }

  #tell(clock: Clock, hasEnded: boolean): void {
    this.#isDone = true;
    this.#scope.stuckHandlers.forget(this);
    const { recordId, key, owner, attempt } = this.#facts;
    const sinceAbortMs = clock.now() - (this.#stoppedAt as number);
    this.#scope.notify({ type: 'stuck', recordId, key, owner, attempt, sinceAbortMs, hasEnded });
  }
}
