import type { KeySelector } from '../keys/key-selector.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { ReadRecord, SourceEntry } from '../sources/source.ts';
import { forgetLongBody } from '../sources/text-record.ts';
import type { RecordRoute } from './record-route.ts';
import type { RecordOutcome } from './outcomes.ts';

/** A frozen record. Its links point to earlier records only, so records never wait in a circle. */
export interface PlannedRecord {
  readonly index: number;
  /** The identifier in the response. */
  readonly itemIdentifier: string | undefined;
  /** The identifier for observers: `itemIdentifier`, or the position. */
  readonly recordId: string;
  /** Records of one lane run in order. Undefined: the record has no lane. */
  readonly lane: string | undefined;
  /** Undefined: the record cannot be read. */
  readonly record: BatchRecord | undefined;
  /** Empty: the record has no key. */
  readonly key: string;
  readonly payloadHash: string | undefined;
  /** Undefined: the processor has no routes, or the record has none of them. */
  readonly route: RecordRoute | undefined;
  /** The outcome before anything runs, such as invalid, ignored or not read in time. */
  readonly outcome: RecordOutcome | undefined;
  /** The first record with the same key and payload. It runs for both. */
  readonly leader: PlannedRecord | undefined;
  /** An earlier record with the same key and another payload. The two never share a request. */
  readonly behind: PlannedRecord | undefined;
}

export type KeyedRecord = Omit<PlannedRecord, 'leader' | 'behind'>;

/** The route and the key of a record, or its outcome. */
export interface Routed extends Pick<PlannedRecord, 'route' | 'key' | 'outcome'> {
  readonly record: BatchRecord;
}

export interface Keying {
  readonly keyOf: (record: BatchRecord) => string;
  readonly payloadHashOf: KeySelector | undefined;
  /** Gives each record its route and key, in place of `keyOf`. Undefined: the processor has no routes. */
  readonly routeOf: ((record: BatchRecord) => Routed) | undefined;
  /** Whether one of the functions reads bodies. */
  readonly readsBody: boolean;
}

/** The records of an event before they are decoded and keyed. */
export interface BatchReading {
  readonly delivered: readonly SourceEntry[];
  /** The namespace of the claims that mark reading. */
  readonly namespace: string;
  read(entries: readonly SourceEntry[]): readonly SourceEntry[] | Promise<readonly SourceEntry[]>;
  key(source: SourceEntry, index: number): KeyedRecord;
}

/** Gives a record its key. A record that cannot be read, or has no key, becomes `invalid`. */
export function keyed(
  source: SourceEntry,
  index: number,
  { keyOf, payloadHashOf, routeOf, readsBody }: Keying,
): KeyedRecord {
  const { read } = source;
  const planned = new Planned(source, index);
  if (!('record' in read)) {
    planned.outcome = outcomeOfUnread(read);
    return planned;
  }
  let { record } = read;
  try {
    if (routeOf === undefined) planned.key = keyOf(record);
    else {
      const routed = routeOf(record);
      Object.assign(planned, routed);
      ({ record } = routed);
    }
    if (payloadHashOf !== undefined && planned.outcome === undefined) {
      planned.payloadHash = payloadHashOf(record);
    }
  } catch (error) {
    planned.outcome = { status: 'invalid', error };
  }
  if (readsBody) forgetLongBody(record);
  return planned;
}

/** Marks a record that was not read in time: it has no key and is delivered again. */
export function unread(source: SourceEntry, index: number): KeyedRecord {
  const planned = new Planned(source, index);
  const { read } = source;
  planned.outcome = 'record' in read ? { status: 'not-started', reason: 'deadline' } : outcomeOfUnread(read);
  return planned;
}

/**
 * Links records with equal keys. The first of each key and payload hash leads; the others follow it and share
 * its outcome. A record with another payload claims after the last leader of its key.
 */
export function plan(records: readonly KeyedRecord[]): readonly PlannedRecord[] {
  /** The last leader of each key. */
  const leaders = new Map<string, PlannedRecord>();
  /** The leader of each key and payload; empty if payloads are not hashed. */
  const byPayload = new Map<string, PlannedRecord>();
  for (const record of records as Planned[]) {
    if (record.outcome === undefined) link(record, leaders, byPayload);
    Object.freeze(record);
  }
  return records as Planned[];
}

function link(
  record: Planned,
  leaders: Map<string, PlannedRecord>,
  byPayload: Map<string, PlannedRecord>,
): void {
  const { key, payloadHash } = record;
  const last = leaders.get(key);
  // rule: equal-payloads
  if (last === undefined || last.payloadHash === payloadHash) record.leader = last;
  else {
    record.leader = byPayload.get(JSON.stringify([key, payloadHash]));
    // rule: payloads-in-turn
    if (record.leader === undefined) record.behind = last;
  }
  if (record.leader !== undefined) return;
  leaders.set(key, record);
  if (payloadHash !== undefined) byPayload.set(JSON.stringify([key, payloadHash]), record);
}

/** Returns the record; for one that cannot be decoded, the delivered one. */
export function recordIn({ read }: SourceEntry): BatchRecord | undefined {
  return 'record' in read ? read.record : 'error' in read ? read.delivered : undefined;
}

/** Returns the identifier that observers see. */
export function recordIdOf(itemIdentifier: string | undefined, index: number): string {
  return itemIdentifier ?? `record ${index}`;
}

/** A record under construction in this file. A class, because frozen object literals are slow. */
class Planned implements PlannedRecord {
  readonly index: number;
  readonly itemIdentifier: string | undefined;
  readonly recordId: string;
  readonly lane: string | undefined;
  record: BatchRecord | undefined;
  key = '';
  payloadHash: string | undefined = undefined;
  route: RecordRoute | undefined = undefined;
  outcome: RecordOutcome | undefined = undefined;
  leader: PlannedRecord | undefined = undefined;
  behind: PlannedRecord | undefined = undefined;

  constructor(source: SourceEntry, index: number) {
    const { itemIdentifier, lane } = source;
    this.index = index;
    this.itemIdentifier = itemIdentifier;
    this.recordId = recordIdOf(itemIdentifier, index);
    this.lane = lane;
    this.record = recordIn(source);
  }
}

function outcomeOfUnread(read: Exclude<ReadRecord, { readonly record: unknown }>): RecordOutcome {
  if ('ignored' in read) return { status: 'ignored' };
  return { status: read.isRetryable === true ? 'failed' : 'invalid', error: read.error };
}
