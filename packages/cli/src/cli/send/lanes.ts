/** A pool of `count` lanes. Work in one lane runs in order, one at a time. */
export class Lanes {
  readonly #count: number;
  readonly #running = new Map<number, Promise<void>>();
  /** The last start that waits, by lane. */
  readonly #last = new Map<number | undefined, Promise<void>>();

  constructor(count: number) {
    this.#count = count;
  }

  /** Returns the lane of this name. */
  laneOf(name: string): number {
    let hash = 0;
    for (let index = 0; index < name.length; index += 1) hash = (hash * 31 + name.charCodeAt(index)) >>> 0;
    return hash % this.#count;
  }

  /** Starts `work`, which must not reject, in this lane or any free one; resolves when it has started. */
  async start(lane: number | undefined, work: () => Promise<void>): Promise<void> {
    const started = this.#startAfter(this.#last.get(lane), lane, work);
    this.#last.set(lane, started);
    await started;
    if (this.#last.get(lane) === started) this.#last.delete(lane);
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  /** Starts wait for one another in order: a lane that is found free is taken in the same tick. */
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

  /** Returns this lane, or any, if it is free. */
  #free(lane: number | undefined): number | undefined {
    if (lane !== undefined) return this.#running.has(lane) ? undefined : lane;
    if (this.#running.size >= this.#count) return undefined;
    let free = 0;
    while (this.#running.has(free)) free += 1;
    return free;
  }
}
