import type { RedrivenMessage, RedriveProgress } from './redrive-result.ts';

const MOST_MESSAGES = 1_000;

/** Counts what became of messages, and tells it. */
export class RedriveTally {
  readonly #total: number;
  readonly #onProgress: ((progress: RedriveProgress) => void) | undefined;
  readonly #released = new Set<string>();
  readonly messages: RedrivenMessage[] = [];
  moved = 0;
  deleted = 0;
  left = 0;

  constructor(total: number, onProgress: ((progress: RedriveProgress) => void) | undefined) {
    this.#total = total;
    this.#onProgress = onProgress;
  }

  get released(): number {
    return this.#released.size;
  }

  noteReleased(keys: readonly string[]): void {
    for (const key of keys) this.#released.add(key);
  }

  add(message: RedrivenMessage): void {
    this[message.outcome] += 1;
    if (this.messages.length < MOST_MESSAGES) this.messages.push(message);
    this.#tell(message);
  }

  /** What SQS moves itself it only counts. */
  movedTogether(moved: number): void {
    this.moved = moved;
    this.#tell();
  }

  #tell(message?: RedrivenMessage): void {
    const { moved, left } = this;
    try {
      this.#onProgress?.({ ...(message !== undefined && { message }), moved, left, total: this.#total });
    } catch {
      // A display that fails stops no redrive.
    }
  }
}
