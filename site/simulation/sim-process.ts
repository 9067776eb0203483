import type { Clock } from '../../src/base/clock.ts';
import type { Scheduler } from '../../lab/simulation/virtual-world/scheduler.ts';

/** A process of the run: nothing reaches it once it is dead, and while it stands still everything waits. */
export class SimProcess {
  readonly name: string;
  readonly clock: Clock;
  isDead = false;
  onDeath: () => void = () => undefined;
  readonly #scheduler: Scheduler;
  #standsStillUntil = -Infinity;

  constructor(name: string, scheduler: Scheduler) {
    this.name = name;
    this.#scheduler = scheduler;
    this.clock = {
      now: () => scheduler.now,
      setTimer: (callback, delayMs) => this.deliver(delayMs, callback),
    };
  }

  /** Calls `run` after `delayMs`, unless the process is dead by then. Returns what takes it back. */
  deliver(delayMs: number, run: () => void): () => void {
    let isCancelled = false;
    const arrive = (): void => {
      if (this.isDead || isCancelled) return;
      const wait = this.#standsStillUntil - this.#scheduler.now;
      if (wait > 0) this.#scheduler.after(wait, arrive, { inOrder: true });
      else run();
    };
    this.#scheduler.after(delayMs, arrive, { inOrder: true });
    return () => {
      isCancelled = true;
    };
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      this.deliver(delayMs, resolve);
    });
  }

  standStill(durationMs: number): void {
    this.#standsStillUntil = this.#scheduler.now + durationMs;
  }

  die(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.onDeath();
  }
}
