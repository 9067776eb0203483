import { allSources, dynamoDBStream, type BatchRecord, type DecodeStep, type SourceEntry } from 'batchlatch';
import { dynamoDBStreamEvent } from 'batchlatch/testing';
import { readPayloads } from '../../src/sources/decode-step.ts';

await dynamoDBStream().read(dynamoDBStreamEvent([]))?.ready;

/** The entries of an event, inside these envelopes. */
export function entriesOf(event: unknown, ...steps: DecodeStep[]): readonly SourceEntry[] {
  const { entries = [] } = allSources().read(event) ?? {};
  const options = { concurrency: 1, stop: new AbortController().signal, isPermanent: () => false };
  const read = readPayloads(entries, steps, options);
  if (read instanceof Promise) throw new Error('not at once');
  return read;
}

/** The first record of an event; throws what makes it unreadable. */
export function recordOf(event: unknown, ...steps: DecodeStep[]): BatchRecord {
  return recordIn(entriesOf(event, ...steps)[0]);
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
