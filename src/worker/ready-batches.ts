import { takesBatches } from '../attempts/host.ts';
import { type HandlerBatch, messagesIn } from './held-message.ts';
import type { BatchOptions, WorkerOptions } from './options.ts';

export type CallSize = Required<BatchOptions>;

/** The batches of the next call. */
export interface NextCall {
  readonly batches: number;
  readonly messages: number;
  /** The delay until the call starts without more messages; 0 or less: now. */
  readonly dueInMs: number;
}

/** Batches that may start as soon as there is a slot, in order of arrival. */
export class ReadyBatches {
  readonly #batches: HandlerBatch[] = [];

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  get messages(): number {
    return messagesIn(this.#batches);
  }

  add(batch: HandlerBatch): void {
    this.#batches.push(batch);
  }

  take(batches: number = Infinity): HandlerBatch[] {
    return this.#batches.splice(0, batches);
  }

  /** Returns the next call of up to `callSize` messages (undefined: one batch) and `limit` batches. */
  next(callSize: CallSize | undefined, limit: number, now: number): NextCall | undefined {
    const { size, windowMs } = callSize ?? { size: 1, windowMs: 0 };
    const [first] = this.#batches;
    if (first === undefined) return undefined;
    let messages = 0;
    let batches = 0;
    for (const { held } of this.#batches) {
      if (batches > 0 && (batches >= limit || messages + held.length > size)) break;
      messages += held.length;
      batches += 1;
    }
    const isFull = messages >= size || batches >= limit || batches < this.#batches.length;
    const receivedAt = first.held[0]?.receivedAt ?? 0;
    return { batches, messages, dueInMs: isFull ? 0 : receivedAt + windowMs - now };
  }
}

/** The messages of one receive. */
const DEFAULT_SIZE = 10;

/** Returns the size of a call; undefined: one message, or those of one FIFO group. */
export function callSizeOf({ batch, handler, maxInFlight = 100 }: WorkerOptions): CallSize | undefined {
  if (batch !== undefined) return { size: batch.size, windowMs: batch.windowMs ?? 0 };
  return takesBatches(handler) ? { size: Math.min(DEFAULT_SIZE, maxInFlight), windowMs: 0 } : undefined;
}
