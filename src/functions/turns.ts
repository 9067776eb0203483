import type { Attempt, Runner } from '../attempts/attempt.ts';
import type { Settled, Work } from '../attempts/work.ts';

/** The runner of a single attempt: turns its callbacks into promises. */
export class Turns implements Runner<Work> {
  #resolve: ((settled: Settled | undefined) => void) | undefined;
  #reject: ((thrown: unknown) => void) | undefined;

  /** Resolves when the function that `start` calls has ended. */
  async ended(start: () => void): Promise<void> {
    await this.#next(start);
  }

  /** Resolves with the outcome of the settlement that `start` requests. */
  async stored(start: () => void): Promise<Settled> {
    return (await this.#next(start)) as Settled;
  }

  over(): void {
    this.#resolve?.(undefined);
  }

  settled(_attempt: Attempt, settled: Settled): void {
    this.#resolve?.(settled);
  }

  answered(): void {}

  /** Never called: a call waits for its function without a limit. */
  endedLate(): void {}

  #next(start: () => void): Promise<Settled | undefined> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      start();
    });
  }

  fail(thrown: unknown): void {
    this.#reject?.(thrown);
  }
}
