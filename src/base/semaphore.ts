/** A semaphore: `count` at once, the rest in FIFO order. */
export class Semaphore {
  #free: number;
  #waiting: (((mayStart: boolean) => void) | undefined)[] = [];
  /** The index of the next waiter. */
  #next = 0;

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot if one is free; else the caller has to wait for its `turn`. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Resolves with true when the caller has a slot; with false if it was cleared before. */
  turn(): Promise<boolean> {
    return new Promise((start) => this.#waiting.push(start));
  }

  /** Releases a slot. */
  release(): void {
    const next = this.#waiting[this.#next];
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting[this.#next] = undefined; // else the whole batch stays in memory
    this.#next += 1;
    // Not only once nobody waits, which may never be in a busy process.
    if (this.#next * 2 >= this.#waiting.length) {
      this.#waiting.splice(0, this.#next);
      this.#next = 0;
    }
    next(true);
  }

  /** Ends all current waits: their turns resolve with false. */
  clear(): void {
    const cleared = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    for (const start of cleared) start?.(false);
  }
}
