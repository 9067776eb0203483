import { takesBatches } from '../attempts/host.ts';
import type { HandlerBatch } from './held-message.ts';
import type { WorkerOptions } from './options.ts';

/** How many messages a call of the handler gets. */
export interface Batch {
  /** Messages in one call. */
  readonly size: number;
  /** How long the first of them waits for others, in milliseconds, from when it was received. */
  readonly windowMs: number;
}

/** The first of the parcels that are ready, as one call would get them. */
export interface NextCall {
  readonly parcels: number;
  readonly messages: number;
  /** In how many milliseconds it waits for no more messages; 0 and less: now. */
  readonly dueInMs: number;
}

const SINGLE: Batch = { size: 1, windowMs: 0 };

/** Parcels that may start as soon as there is a slot, in the order of their arrival. */
export class ReadyBatches {
  readonly #parcels: HandlerBatch[] = [];

  get isEmpty(): boolean {
    return this.#parcels.length === 0;
  }

  get messages(): number {
    return this.#parcels.reduce((sum, { held }) => sum + held.length, 0);
  }

  add(parcel: HandlerBatch): void {
    this.#parcels.push(parcel);
  }

  take(parcels: number = Infinity): HandlerBatch[] {
    return this.#parcels.splice(0, parcels);
  }

  /** `batch`: undefined for a call of one parcel. `limit`: of parcels. Undefined: nothing is ready. */
  next(batch: Batch = SINGLE, limit: number, now: number): NextCall | undefined {
    const [first] = this.#parcels;
    if (first === undefined) return undefined;
    let messages = 0;
    let parcels = 0;
    for (const { held } of this.#parcels) {
      if (parcels > 0 && (parcels >= limit || messages + held.length > batch.size)) break;
      messages += held.length;
      parcels += 1;
    }
    const isFull = messages >= batch.size || parcels >= limit || parcels < this.#parcels.length;
    const receivedAt = first.held[0]?.receivedAt ?? 0;
    return { parcels, messages, dueInMs: isFull ? 0 : receivedAt + batch.windowMs - now };
  }
}

/** As many as one receive brings. */
const DEFAULT_SIZE = 10;

/** How many messages a call gets; undefined: one, or those of one FIFO group. */
export function batchOf({ batch, handler, maxInFlight = 100 }: WorkerOptions): Batch | undefined {
  if (batch !== undefined) return { size: batch.size, windowMs: batch.windowMs ?? 0 };
  return takesBatches(handler) ? { size: Math.min(DEFAULT_SIZE, maxInFlight), windowMs: 0 } : undefined;
}
