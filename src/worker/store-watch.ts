import type { Clock } from '../base/clock.ts';

/** What the claim store has been asked and has not answered. */
export class StoreWatch {
  readonly #clock: Pick<Clock, 'now'>;
  /** Oldest first. */
  readonly #askedAt = new Map<Promise<unknown>, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** For how long it has left something unanswered, in milliseconds. */
  get silentForMs(): number {
    for (const askedAt of this.#askedAt.values()) return this.#clock.now() - askedAt;
    return 0;
  }

  note(answer: Promise<unknown>): void {
    this.#askedAt.set(answer, this.#clock.now());
    const forget = (): void => void this.#askedAt.delete(answer);
    answer.then(forget, forget);
  }
}
