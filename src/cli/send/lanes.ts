/** Does so many things at a time. Those of one lane are done one after the other, in their order. */
export class Lanes {
  readonly #count: number;
  readonly #running = new Map<number, Promise<void>>();

  constructor(count: number) {
    this.#count = count;
  }

  /** The lane of everything with this name. */
  laneOf(name: string): number {
    let hash = 0;
    for (let index = 0; index < name.length; index += 1) hash = (hash * 31 + name.charCodeAt(index)) >>> 0;
    return hash % this.#count;
  }

  /** Starts `work` in this lane, or in the first that is free, and resolves when it has started. `work` must not reject. */
  async start(lane: number | undefined, work: () => Promise<void>): Promise<void> {
    const free = await this.#freeLane(lane);
    this.#running.set(
      free,
      work().finally(() => this.#running.delete(free)),
    );
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #freeLane(lane: number | undefined): Promise<number> {
    if (lane !== undefined) {
      while (this.#running.has(lane)) await this.#running.get(lane);
      return lane;
    }
    while (this.#running.size >= this.#count) await Promise.race(this.#running.values());
    let free = 0;
    while (this.#running.has(free)) free += 1;
    return free;
  }
}
