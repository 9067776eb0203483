import type { HandlerBatch } from './held-message.ts';

/** Counts the batches of each message group that run or are about to. */
export class GroupCounts {
  readonly #perGroup: number;
  readonly #counts = new Map<string, number>();
  /** Batches that wait for something else but keep their places in their groups. */
  readonly #kept = new Set<HandlerBatch>();

  constructor(perGroup: number) {
    this.#perGroup = perGroup;
  }

  isFull(group: string): boolean {
    return (this.#counts.get(group) ?? 0) >= this.#perGroup;
  }

  isKept(batch: HandlerBatch): boolean {
    return this.#kept.has(batch);
  }

  /** Keeps the place of a batch, or of the batch that it is a part of. */
  keep(batch: HandlerBatch): void {
    this.#kept.add(batch);
  }

  add(batch: HandlerBatch): void {
    const { group } = batch;
    if (group === undefined || this.#kept.delete(batch)) return;
    this.#counts.set(group, (this.#counts.get(group) ?? 0) + 1);
  }

  remove({ group }: HandlerBatch): void {
    if (group === undefined) return;
    const left = (this.#counts.get(group) ?? 1) - 1;
    if (left === 0) this.#counts.delete(group);
    else this.#counts.set(group, left);
  }
}
