import { forgetLongBody } from '../sources/text-record.ts';
import type { KeySelector } from '../keys/key-selector.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { ReadRecord, SourceEntry } from '../sources/source.ts';
import { Entry } from './entry.ts';
import type { RecordOutcome } from './outcomes.ts';

/** Gives a record its key before any handler runs. What has no key, or cannot be read, is invalid alone. */
export function planEntry(
  { itemIdentifier, lane, read }: SourceEntry,
  index: number,
  keyOf: (record: BatchRecord) => string,
  payloadHashOf: KeySelector | undefined,
): Entry {
  if (!('record' in read)) {
    const delivered = 'error' in read ? read.delivered : undefined;
    const unread = new Entry(index, itemIdentifier, lane, delivered);
    unread.finish(outcomeOfUnread(read));
    return unread;
  }
  const entry = new Entry(index, itemIdentifier, lane, read.record);
  try {
    entry.key = keyOf(read.record);
    entry.payloadHash = payloadHashOf?.(read.record);
  } catch (thrown) {
    entry.finish({ status: 'invalid', error: thrown });
  }
  forgetLongBody(read.record);
  return entry;
}

/** The entry of a record whose reading has not ended in time: it has no key, and comes back. */
export function unreadEntry({ itemIdentifier, lane, read }: SourceEntry, index: number): Entry {
  const entry = new Entry(index, itemIdentifier, lane, 'record' in read ? read.record : undefined);
  entry.finish('record' in read ? { status: 'not-started', reason: 'deadline' } : outcomeOfUnread(read));
  return entry;
}

/**
 * Finds the records that are the same work: the first of them leads, the others follow. Only records of equal key
 * and equal payload hash share an outcome; those of another payload claim for themselves, after it.
 */
export function coalesce(entries: readonly Entry[]): void {
  const leaders = new Leaders();
  for (const entry of entries) if (entry.outcome === undefined) leaders.place(entry);
}

/** The first record of each key and payload, in the batch's order. */
class Leaders {
  readonly #ofKey = new Map<string, Entry>();
  readonly #ofPayload = new Map<string, Entry>();

  /** Makes the entry a leader, or the follower of one; a leader stands behind an earlier one of its key. */
  place(entry: Entry): void {
    const { key, payloadHash } = entry;
    const latest = this.#ofKey.get(key);
    if (latest === undefined || latest.payloadHash === payloadHash) {
      if (latest === undefined) this.#lead(entry);
      else entry.leader = latest;
      return;
    }
    entry.leader = this.#ofPayload.get(payloadId(entry));
    if (entry.leader !== undefined) return;
    entry.behind = latest;
    this.#lead(entry);
  }

  #lead(entry: Entry): void {
    this.#ofKey.set(entry.key, entry);
    if (entry.payloadHash !== undefined) this.#ofPayload.set(payloadId(entry), entry);
  }
}

function payloadId({ key, payloadHash }: Entry): string {
  return JSON.stringify([key, payloadHash]);
}

function outcomeOfUnread(read: Exclude<ReadRecord, { readonly record: unknown }>): RecordOutcome {
  if ('ignored' in read) return { status: 'ignored' };
  return { status: read.isRetryable === true ? 'failed' : 'invalid', error: read.error };
}
