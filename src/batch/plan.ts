import type { KeySelector } from '../keys/key-selector.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { ReadRecord, SourceEntry } from '../sources/source.ts';
import { forgetLongBody } from '../sources/text-record.ts';
import type { RecordOutcome } from './outcomes.ts';

/**
 * A record as it is run: frozen, because what becomes of it is in the ledger. Its links point to records before it in the batch,
 * so that nothing can wait for itself.
 */
export interface PlannedRecord {
  /** Its place in the batch. */
  readonly index: number;
  /** What the response names it by. */
  readonly itemIdentifier: string | undefined;
  /** What observers know it by: its own name, or its place. */
  readonly recordId: string;
  /** Records of one lane run in order; undefined: it runs by itself. */
  readonly lane: string | undefined;
  /** Undefined for what cannot be read. */
  readonly record: BatchRecord | undefined;
  /** Empty where there is none. */
  readonly key: string;
  readonly payloadHash: string | undefined;
  /** The outcome that it has before anything runs: invalid, ignored, not read in time. */
  readonly outcome: RecordOutcome | undefined;
  /** The first record with the same key and payload, which runs for both. */
  readonly leader: PlannedRecord | undefined;
  /** The record before it with the same key and another payload: the two never share a request. */
  readonly behind: PlannedRecord | undefined;
}

/** A record with its key, before it has its links. */
export type KeyedRecord = Omit<PlannedRecord, 'leader' | 'behind'>;

/** What makes a record's key, and the hash of what must be the same when the key comes again. */
export interface Keying {
  readonly keyOf: (record: BatchRecord) => string;
  readonly payloadHashOf: KeySelector | undefined;
  /** Whether either of them reads bodies. */
  readonly readsBody: boolean;
}

/** The records of one event that are about to be read: decoded, and given their keys. */
export interface BatchReading {
  readonly delivered: readonly SourceEntry[];
  /** What claims for reading are kept under. */
  readonly namespace: string;
  /** Reads the payloads of some of the records, in their order. */
  read(entries: readonly SourceEntry[]): readonly SourceEntry[] | Promise<readonly SourceEntry[]>;
  /** Gives a record its key. */
  key(source: SourceEntry, index: number): KeyedRecord;
}

/** Gives a record its key before any handler runs. What has no key, or cannot be read, is invalid alone. */
export function keyed(
  source: SourceEntry,
  index: number,
  { keyOf, payloadHashOf, readsBody }: Keying,
): KeyedRecord {
  const { read } = source;
  const planned = new Planned(source, index);
  if (!('record' in read)) {
    planned.outcome = outcomeOfUnread(read);
    return planned;
  }
  const { record } = read;
  try {
    planned.key = keyOf(record);
    if (payloadHashOf !== undefined) planned.payloadHash = payloadHashOf(record);
  } catch (error) {
    planned.outcome = { status: 'invalid', error };
  }
  if (readsBody) forgetLongBody(record);
  return planned;
}

/** A record whose reading has not ended in time: it has no key, and comes back. */
export function unread(source: SourceEntry, index: number): KeyedRecord {
  const planned = new Planned(source, index);
  const { read } = source;
  planned.outcome = 'record' in read ? { status: 'not-started', reason: 'deadline' } : outcomeOfUnread(read);
  return planned;
}

/**
 * Finds the records that are the same work: the first of them leads, the others follow. Only records of equal key and equal
 * payload hash share an outcome; one with another payload claims for itself, after the last that leads.
 */
export function plan(records: readonly KeyedRecord[]): readonly PlannedRecord[] {
  /** Of each key, the last that leads. */
  const leaders = new Map<string, PlannedRecord>();
  /** Of each key and payload, the one that leads. Empty where there are no payloads to tell apart. */
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

/** The record, or what was delivered of one that cannot be decoded. */
export function recordIn({ read }: SourceEntry): BatchRecord | undefined {
  return 'record' in read ? read.record : 'error' in read ? read.delivered : undefined;
}

/** What observers know a record by. */
export function recordIdOf(itemIdentifier: string | undefined, index: number): string {
  return itemIdentifier ?? `record ${index}`;
}

/** Written to in this file alone. A class, because an object of a literal that is frozen is slow. */
class Planned implements PlannedRecord {
  readonly index: number;
  readonly itemIdentifier: string | undefined;
  readonly recordId: string;
  readonly lane: string | undefined;
  readonly record: BatchRecord | undefined;
  key = '';
  payloadHash: string | undefined = undefined;
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
