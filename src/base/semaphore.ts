/** A semaphore: `count` at once, the rest in FIFO order. */
export class Semaphore {
  #free: number;
  #waiting: (((mayStart: boolean) => void) | undefined)[] = [];
  /** Of those that wait, the next. */
  #next = 0;

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether the caller has a slot at once; else it has to wait for its `turn`. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Resolves with whether the caller has a slot now; false: it was cleared before. */
  turn(): Promise<boolean> {
    return new Promise((start) => this.#waiting.push(start));
  }

  /** To be called by everyone who had a slot. */
  release(): void {
    const next = this.#waiting[this.#next];
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting[this.#next] = undefined; // held on to, all of a batch would be
    this.#next += 1;
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    next(true);
  }

  /** Nothing that waits now will have a slot. */
  clear(): void {
    const cleared = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    for (const start of cleared) start?.(false);
  }
}
