import { Gate } from './gate.ts';

/** How many messages a worker may hold. What asks for more waits until some are given back. */
export class Permits {
  #count: number;
  #free: number;
  readonly #given = new Gate();
  readonly #onAllFree: () => void;

  /** `onAllFree`: called when the last that was taken is given back. */
  constructor(count: number, onAllFree: () => void = () => undefined) {
    this.#onAllFree = onAllFree;
    this.#count = count;
    this.#free = count;
  }

  /** Below zero where more are held than there are. */
  get free(): number {
    return this.#free;
  }

  /** None is taken: no message is here, and no receive is on its way. */
  get areAllFree(): boolean {
    return this.#free >= this.#count;
  }

  /** As many as there are, up to `most`; 0 where there are none. */
  take(most: number): number {
    const taken = Math.max(Math.min(most, this.#free), 0);
    this.#free -= taken;
    return taken;
  }

  /** For what is here already: also where there are none. */
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
