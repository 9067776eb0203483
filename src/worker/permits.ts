import { Gate } from './gate.ts';

/** A semaphore for the messages that a worker may hold. */
export class Permits {
  #count: number;
  #free: number;
  readonly #given = new Gate();
  readonly #onAllFree: () => void;

  /** `onAllFree`: called when the last permit is given back. */
  constructor(count: number, onAllFree: () => void = () => undefined) {
    this.#onAllFree = onAllFree;
    this.#count = count;
    this.#free = count;
  }

  /** The free permits; negative if more are taken than exist. */
  get free(): number {
    return this.#free;
  }

  /** Whether no message is here and no receive is in progress. */
  get areAllFree(): boolean {
    return this.#free >= this.#count;
  }

  /** Takes up to `most` permits, and returns how many. */
  take(most: number): number {
    const taken = Math.max(Math.min(most, this.#free), 0);
    this.#free -= taken;
    return taken;
  }

  /** Takes permits for messages that are here already, even if none is free. */
  takeAnyway(count: number): void {
    this.#free -= count;
  }

  give(count: number): void {
    this.#free += count;
    if (this.#free > 0) this.wakeAll();
    if (this.areAllFree) this.#onAllFree();
  }

  resize(count: number): void {
    const more = count - this.#count;
    this.#count = count;
    this.give(more);
  }

  changed(): Promise<void> {
    return this.#given.opened();
  }

  wakeAll(): void {
    this.#given.open();
  }
}
