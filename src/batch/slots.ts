/** Runs so many works at once, and no more; the others wait for a slot, in their order. */
export class Slots {
  #free: number;
  #waiting: (((mayStart: boolean) => void) | undefined)[] = [];
  /** Of those that wait, the next. */
  #next = 0;

  constructor(count: number) {
    this.#free = count;
  }

  /** What the work gives, once it had a slot; undefined: it was cleared before. */
  async run<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#free > 0) this.#free -= 1;
    else if (!(await this.#turn())) return undefined;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Nothing that waits now will run. */
  clear(): void {
    const cleared = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    for (const start of cleared) start?.(false);
  }

  #turn(): Promise<boolean> {
    return new Promise((start) => this.#waiting.push(start));
  }

  #release(): void {
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
}
