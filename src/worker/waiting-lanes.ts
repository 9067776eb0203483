import type { HandlerBatch } from './held-message.ts';
import type { ReceivedMessage } from './sqs-queue.ts';

/** The limit of all waiting texts, in UTF-16 units. Each may have a mebibyte, in body or attributes. */
const MOST_TEXT = 64 * 1_024 * 1_024;

const KEY = 'key:';

export function laneOfGroup(group: string): string {
  return `group:${group}`;
}

export function laneOfKey(key: string): string {
  return `${KEY}${key}`;
}

/**
 * Returns the keys that a batch which has left a lane still queues for, in one order for all batches: in any
 * order, three batches that share two keys could pass from lane to lane for ever.
 */
export function keysAfter(lane: string | undefined, keys: Iterable<string>): readonly string[] {
  const inOrder = [...keys].sort();
  return lane?.startsWith(KEY) === true ? inOrder.filter((key) => laneOfKey(key) > lane) : inOrder;
}

interface Lane {
  readonly batches: HandlerBatch[];
  messages: number;
  /** When the last message of this lane that was handed back is due, in epoch milliseconds. */
  lastTurnAt: number;
}

/** Messages that wait for a group, a key or a lease, in order of arrival, limited in number and length. */
export class WaitingLanes {
  readonly #most: number;
  readonly #lanes = new Map<string, Lane>();
  #messages = 0;
  #newLanes = 0;
  #text = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get messages(): number {
    return this.#messages;
  }

  hasRoomFor(batch: HandlerBatch): boolean {
    return this.#messages + batch.held.length <= this.#most && this.#text + textOf(batch) <= MOST_TEXT;
  }

  /** Returns a lane for one batch, which waits for a lease. */
  newLane(): string {
    return `lease:${(this.#newLanes += 1)}`;
  }

  has(lane: string): boolean {
    return this.#lanes.has(lane);
  }

  /** Whether a batch waits for its key's rate. */
  get hasKeys(): boolean {
    return [...this.#lanes.keys()].some((lane) => lane.startsWith(KEY));
  }

  /** Adds a batch to the end of a lane, or to its front if it was there before (`first`). */
  add(id: string, batch: HandlerBatch, first = false): void {
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = { batches: [], messages: 0, lastTurnAt: 0 };
      this.#lanes.set(id, lane);
    }
    if (first) lane.batches.unshift(batch);
    else lane.batches.push(batch);
    this.#count(lane, batch, 1);
  }

  headOf(id: string): HandlerBatch | undefined {
    return this.#lanes.get(id)?.batches[0];
  }

  next(id: string): HandlerBatch | undefined {
    const lane = this.#lanes.get(id);
    const batch = lane?.batches.shift();
    if (lane === undefined || batch === undefined) return undefined;
    this.#count(lane, batch, -1);
    if (lane.batches.length === 0) this.#lanes.delete(id);
    return batch;
  }

  take(id: string): HandlerBatch[] {
    const taken: HandlerBatch[] = [];
    for (let batch = this.next(id); batch !== undefined; batch = this.next(id)) taken.push(batch);
    return taken;
  }

  takeAll(): HandlerBatch[] {
    return [...this.#lanes.keys()].flatMap((id) => this.take(id));
  }

  /** Returns when a further message of this lane is due, if one starts each `paceMs`. */
  turnOf(id: string, paceMs: number, now: number): number {
    const lane = this.#lanes.get(id);
    if (lane === undefined) return now + paceMs;
    lane.lastTurnAt = Math.max(now + lane.messages * paceMs, lane.lastTurnAt) + paceMs;
    return lane.lastTurnAt;
  }

  #count(lane: Lane, batch: HandlerBatch, sign: 1 | -1): void {
    lane.messages += sign * batch.held.length;
    this.#messages += sign * batch.held.length;
    this.#text += sign * textOf(batch);
  }
}

function textOf({ held }: HandlerBatch): number {
  return held.reduce((sum, { message }) => sum + textOfMessage(message), 0);
}

function textOfMessage({ body, messageAttributes }: ReceivedMessage): number {
  let length = body.length;
  for (const name of Object.keys(messageAttributes)) {
    const { stringValue = '', binaryValue = '' } = messageAttributes[name] ?? {};
    length += name.length + stringValue.length + binaryValue.length;
  }
  return length;
}
