import type { HandlerBatch } from './held-message.ts';
import type { ReceivedMessage } from './sqs-queue.ts';

/** What messages that are set aside hold, in UTF-16 units: SQS allows a mebibyte each, in the body or in attributes. */
const MOST_TEXT = 64 * 1_024 * 1_024;

const KEY = 'key:';

/** The lane of what waits for others of its group. */
export function laneOfGroup(group: string): string {
  return `group:${group}`;
}

/** The lane of what waits for its key's rate. */
export function laneOfKey(key: string): string {
  return `${KEY}${key}`;
}

interface Lane {
  readonly parcels: HandlerBatch[];
  messages: number;
  /** When the last message of this lane that was handed back is to come again, in epoch milliseconds. */
  lastTurnAt: number;
}

/**
 * Messages that may not start yet because of their group or their key: in lanes, each in order of arrival. They take no room from
 * others, so there is a bound of their own on how many and how long they are.
 */
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

  hasRoomFor(parcel: HandlerBatch): boolean {
    return this.#messages + parcel.held.length <= this.#most && this.#text + textOf(parcel) <= MOST_TEXT;
  }

  /** A lane for one parcel, which waits for a lease. */
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
  add(id: string, parcel: HandlerBatch, first = false): void {
    let lane = this.#lanes.get(id);
    if (lane === undefined) {
      lane = { parcels: [], messages: 0, lastTurnAt: 0 };
      this.#lanes.set(id, lane);
    }
    if (first) lane.parcels.unshift(parcel);
    else lane.parcels.push(parcel);
    this.#count(lane, parcel, 1);
  }

  /** The first of the lane. */
  headOf(id: string): HandlerBatch | undefined {
    return this.#lanes.get(id)?.parcels[0];
  }

  /** Takes the first of the lane away. */
  next(id: string): HandlerBatch | undefined {
    const lane = this.#lanes.get(id);
    const parcel = lane?.parcels.shift();
    if (lane === undefined || parcel === undefined) return undefined;
    this.#count(lane, parcel, -1);
    if (lane.parcels.length === 0) this.#lanes.delete(id);
    return parcel;
  }

  /** Takes all of the lane away. */
  take(id: string): HandlerBatch[] {
    const taken: HandlerBatch[] = [];
    for (let parcel = this.next(id); parcel !== undefined; parcel = this.next(id)) taken.push(parcel);
    return taken;
  }

  /** Takes everything away. */
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

  #count(lane: Lane, parcel: HandlerBatch, sign: 1 | -1): void {
    lane.messages += sign * parcel.held.length;
    this.#messages += sign * parcel.held.length;
    this.#text += sign * textOf(parcel);
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
