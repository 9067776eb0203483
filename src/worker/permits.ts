/** How many messages a worker may hold. What asks for more waits until some are given back. */
export class Permits {
  #free: number;
  #wake: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  get free(): number {
    return this.#free;
  }

  /** As many as there are, up to `most`; 0 where there are none. */
  take(most: number): number {
    const taken = Math.max(Math.min(most, this.#free), 0);
    this.#free -= taken;
    return taken;
  }

  give(count: number): void {
    this.#free += count;
    if (this.#free <= 0) return;
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }

  /** Resolves when there may be some again. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  /** Ends all waits. */
  wakeAll(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }
}
