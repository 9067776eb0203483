import { idempotencyKey, type Namespace } from '../keys/idempotency-key.ts';
import type { ReadRecord, SourceBatch } from '../sources/source-batch.ts';
import { Entry } from './entry.ts';
import type { Settings } from './options.ts';
import type { RecordOutcome } from './outcomes.ts';

/**
 * Gives every record its key before any handler runs, and finds the records of the batch that are the same
 * work: the first of them leads, the others follow. What has no key, or cannot be read, is invalid alone.
 */
export function planEntries(batch: SourceBatch, settings: Settings, namespace: Namespace): Entry[] {
  const leaders = new Map<string, Entry>();
  return batch.entries.map(({ itemIdentifier, lane, read }, index) => {
    if (!('record' in read)) {
      const delivered = 'error' in read ? read.delivered : undefined;
      const unread = new Entry(index, itemIdentifier, lane, delivered);
      unread.finish(outcomeOfUnread(read));
      return unread;
    }
    const entry = new Entry(index, itemIdentifier, lane, read.record);
    try {
      entry.key = idempotencyKey(read.record, settings.key, namespace);
      entry.payloadHash = settings.payloadValidation?.(read.record);
    } catch (thrown) {
      return invalid(entry, thrown);
    }
    const leader = leaders.get(entry.key);
    if (leader === undefined) leaders.set(entry.key, entry);
    else if (leader.payloadHash === entry.payloadHash) entry.leader = leader;
    else entry.finish({ status: 'mismatch' });
    return entry;
  });
}

function outcomeOfUnread(read: Exclude<ReadRecord, { readonly record: unknown }>): RecordOutcome {
  if ('ignored' in read) return { status: 'ignored' };
  return { status: read.isRetryable === true ? 'failed' : 'invalid', error: read.error };
}

function invalid(entry: Entry, error: unknown): Entry {
  entry.finish({ status: 'invalid', error });
  return entry;
}
