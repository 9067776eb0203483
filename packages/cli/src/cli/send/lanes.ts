/** Does so many things at a time. Those of one lane are done one after the other, in their order. */
export class Lanes {
  readonly #count: number;
  readonly #running = new Map<number, Promise<void>>();
  /** The last that waits to start, by lane. */
  readonly #last = new Map<number | undefined, Promise<void>>();

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
    const started = this.#startAfter(this.#last.get(lane), lane, work);
    this.#last.set(lane, started);
    await started;
    if (this.#last.get(lane) === started) this.#last.delete(lane);
  }

  /** Resolves when nothing is running. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Those that wait for one lane start in their order, one at a time: what is found free is taken at once. */
  async #startAfter(
    before: Promise<void> | undefined,
    lane: number | undefined,
    work: () => Promise<void>,
  ): Promise<void> {
    await before;
    let free = this.#free(lane);
    for (; free === undefined; free = this.#free(lane)) {
      await (lane === undefined ? Promise.race(this.#running.values()) : this.#running.get(lane));
    }
    const taken = free;
    this.#running.set(
      taken,
      work().finally(() => this.#running.delete(taken)),
    );
  }

  /** This lane, or any, if it is free. */
  #free(lane: number | undefined): number | undefined {
    if (lane !== undefined) return this.#running.has(lane) ? undefined : lane;
    if (this.#running.size >= this.#count) return undefined;
    let free = 0;
    while (this.#running.has(free)) free += 1;
    return free;
  }
}
