import type { HandlerBatch } from './held-message.ts';

/** How many parcels of each message group run or are about to. */
export class GroupCounts {
  readonly #perGroup: number;
  readonly #counts = new Map<string, number>();
  /** Parcels that wait for something else and keep their places in their groups all the same. */
  readonly #kept = new Set<HandlerBatch>();

  constructor(perGroup: number) {
    this.#perGroup = perGroup;
  }

  isFull(group: string): boolean {
    return (this.#counts.get(group) ?? 0) >= this.#perGroup;
  }

  isKept(parcel: HandlerBatch): boolean {
    return this.#kept.has(parcel);
  }

  /** It keeps the place that it, or what it is left of, has. */
  keep(parcel: HandlerBatch): void {
    this.#kept.add(parcel);
  }

  add(parcel: HandlerBatch): void {
    const { group } = parcel;
    if (group === undefined || this.#kept.delete(parcel)) return;
    this.#counts.set(group, (this.#counts.get(group) ?? 0) + 1);
  }

  remove({ group }: HandlerBatch): void {
    if (group === undefined) return;
    const left = (this.#counts.get(group) ?? 1) - 1;
    if (left === 0) this.#counts.delete(group);
    else this.#counts.set(group, left);
  }
}
