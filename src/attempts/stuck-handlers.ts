import type { Clock } from '../base/clock.ts';
import type { BatchEvent, ObservedAttempt } from '../observe/observer.ts';

/**
 * After so long a handler that was told to stop is stuck. What ends at its signal ends in milliseconds, and what has to cancel a
 * query or a request first within a second or two; a function of 30 s still has time to tell.
 */
const STUCK_AFTER_MS = 5_000;

interface Watched {
  readonly facts: ObservedAttempt;
}

/** Tells of the handlers of one invocation that go on long after their signals were aborted. */
export class StuckHandlers {
  readonly #clock: Clock;
  readonly #notify: (event: BatchEvent) => void;
  readonly #stopped = new Map<Watched, { readonly at: number; readonly cancel: () => void }>();
  #isOver = false;

  constructor(clock: Clock, notify: (event: BatchEvent) => void) {
    this.#clock = clock;
    this.#notify = notify;
  }

  /** Its signal has been aborted. */
  watch(attempt: Watched): void {
    if (this.#isOver) return;
    const at = this.#clock.now();
    const cancel = this.#clock.setTimer(() => {
      this.#stopped.delete(attempt);
      this.#tell(attempt, at, false);
    }, STUCK_AFTER_MS);
    this.#stopped.set(attempt, { at, cancel });
  }

  /** Its handler has ended. */
  noteEnd(attempt: Watched): void {
    const stopped = this.#stopped.get(attempt);
    if (stopped === undefined) return;
    this.#stopped.delete(attempt);
    stopped.cancel();
    if (this.#clock.now() - stopped.at >= STUCK_AFTER_MS) this.#tell(attempt, stopped.at, true);
  }

  /** The invocation is over, and none of its timers outlives it. What ends later still tells. */
  leave(): void {
    this.#isOver = true;
    for (const { cancel } of this.#stopped.values()) cancel();
  }

  #tell(attempt: Watched, stoppedAt: number, hasEnded: boolean): void {
    const sinceAbortMs = this.#clock.now() - stoppedAt;
    this.#notify({ type: 'stuck', ...attempt.facts, sinceAbortMs, hasEnded });
  }
}
