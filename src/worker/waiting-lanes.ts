import type { HandlerBatch } from './held-message.ts';
import type { ReceivedMessage } from './sqs-queue.ts';

/** What messages that are set aside hold, in UTF-16 units: SQS allows a mebibyte each, in the body or in attributes. */
const MOST_TEXT = 64 * 1_024 * 1_024;

const KEY = 'key:';

export function laneOfGroup(group: string): string {
  return `group:${group}`;
}

export function laneOfKey(key: string): string {
  return `${KEY}${key}`;
}

interface Lane {
  readonly batches: HandlerBatch[];
  messages: number;
  /** When the last message of this lane that was handed back is to come again, in epoch milliseconds. */
  lastTurnAt: number;
}

/** Messages that wait for a group, a key or a lease, in order of arrival, with bounds on their number and length. */
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

  /** A lane for one batch, which waits for a lease. */
  newLane(): string {
    return `lease:${(this.#newLanes += 1)}`;
  }

  has(lane: string): boolean {
    return this.#lanes.has(lane);
  }

  /** Whether anything waits for its key's rate. */
  get hasKeys(): boolean {
    return [...this.#lanes.keys()].some((lane) => lane.startsWith(KEY));
  }

  /** `first`: it has been at the head of this lane before. */
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

  /** When it would be a further message's turn in this lane, if one starts each `paceMs`: after all that were told a turn before. */
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
