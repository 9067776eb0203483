import type { Clock } from '../base/clock.ts';

/** What the claim store has been asked and has not answered. */
export class StoreWatch {
  readonly #clock: Pick<Clock, 'now'>;
  /** Oldest first. */
  readonly #askedAt = new Map<object, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** For how long it has left something unanswered, in milliseconds. */
  get silentForMs(): number {
    for (const askedAt of this.#askedAt.values()) return this.#clock.now() - askedAt;
    return 0;
  }

  /** The store is asked for something. Returns what is to be called when it has answered. */
  ask(): () => void {
    const request = {};
    this.#askedAt.set(request, this.#clock.now());
    return () => void this.#askedAt.delete(request);
  }
}
