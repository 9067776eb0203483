import type { BatchRecord, Unwrap } from 'batchlatch';
import { readEvent } from '../../src/sources/read-event.ts';
import type { SourceEntry } from '../../src/sources/source-batch.ts';
import { unwrapSteps } from '../../src/sources/unwrap-steps.ts';

/** The entries of an event, nothing decoded. */
export function entriesOf(event: unknown, unwrap?: Unwrap): readonly SourceEntry[] {
  return readEvent(event, { unwrap: unwrapSteps(unwrap) }).entries;
}

/** The first record of an event; throws what makes it unreadable. */
export function recordOf(event: unknown, unwrap?: Unwrap): BatchRecord {
  return recordIn(entriesOf(event, unwrap)[0]);
}

/** The record of an entry; throws what makes it unreadable. */
export function recordIn(entry: SourceEntry | undefined): BatchRecord {
  if (entry === undefined) throw new Error('no entry');
  if ('error' in entry.read) throw entry.read.error;
  if ('ignored' in entry.read) throw new Error(`ignored: ${entry.read.ignored}`);
  return entry.read.record;
}

/** What makes an entry unreadable. */
export function errorIn(entry: SourceEntry | undefined): unknown {
  return entry !== undefined && 'error' in entry.read ? entry.read.error : undefined;
}
