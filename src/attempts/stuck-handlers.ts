import type { Clock } from '../base/clock.ts';
import type { BatchEvent, ObservedAttempt } from '../observe/observer.ts';

/**
 * The time after an abort when a handler counts as stuck. Handlers that heed the signal end in milliseconds,
 * or in a second or two if they cancel a query first. A 30 s function still has time to report it.
 */
const STUCK_AFTER_MS = 5_000;

interface Watched {
  readonly facts: ObservedAttempt;
}

/** Reports handlers of one invocation that run on long after their signals were aborted. */
export class StuckHandlers {
  readonly #clock: Clock;
  readonly #notify: (event: BatchEvent) => void;
  readonly #stopped = new Map<Watched, { readonly at: number; readonly cancel: () => void }>();
  #isOver = false;

  constructor(clock: Clock, notify: (event: BatchEvent) => void) {
    this.#clock = clock;
    this.#notify = notify;
  }

  /** Watches a handler whose signal was just aborted. */
  watch(attempt: Watched): void {
    if (this.#isOver) return;
    const at = this.#clock.now();
    const cancel = this.#clock.setTimer(() => {
      this.#stopped.delete(attempt);
      this.#tell(attempt, at, false);
    }, STUCK_AFTER_MS);
    this.#stopped.set(attempt, { at, cancel });
  }

  noteEnd(attempt: Watched): void {
    const stopped = this.#stopped.get(attempt);
    if (stopped === undefined) return;
    this.#stopped.delete(attempt);
    stopped.cancel();
    if (this.#clock.now() - stopped.at >= STUCK_AFTER_MS) this.#tell(attempt, stopped.at, true);
  }

  /** Cancels the timers at the end of the invocation. Handlers that end later are still reported. */
  leave(): void {
    this.#isOver = true;
    for (const { cancel } of this.#stopped.values()) cancel();
  }

  #tell(attempt: Watched, stoppedAt: number, hasEnded: boolean): void {
    const sinceAbortMs = this.#clock.now() - stoppedAt;
    this.#notify({ type: 'stuck', ...attempt.facts, sinceAbortMs, hasEnded });
  }
}
