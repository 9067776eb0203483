import { isObject } from '../base/is-object.ts';
import { checkpoint, itemFailures } from './answers.ts';
import { MalformedRecordError, UnsupportedEventError } from './errors.ts';
import type { BatchRecord } from './record.ts';
import type { SourceBatch, SourceEntry } from './source.ts';

/**
 * The records of a batch, `{ Records: […] }`, if the first record that names its source names this one: one such record
 * among damaged ones is enough to recognise the batch, and the others fail alone. A batch without records may be of any
 * source.
 */
export function recordsOf(event: unknown, eventSource: string): readonly unknown[] | undefined {
  const records = recordsIn(event);
  if (records === undefined) return undefined;
  const isOurs = records.length === 0 ? !isOfWindow(event) : isOf(records, eventSource);
  return isOurs ? records : undefined;
}

/**
 * The batch of a stream, from Lambda or from EventBridge Pipes. Lambda is answered with its checkpoint. A pipe is documented to
 * deliver again what is named, and promises no checkpoint; a failure is named by its eventID
 * (https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html).
 */
export function readStream<Record extends BatchRecord>(
  event: unknown,
  eventSource: string,
  entryOf: (record: unknown, isPiped: boolean) => SourceEntry<Record>,
): SourceBatch<Record> | undefined {
  const piped = pipedRecordsOf(event, eventSource);
  const isPiped = piped !== undefined;
  const entries = (piped ?? streamRecordsOf(event, eventSource))?.map((record) => entryOf(record, isPiped));
  return entries && { entries, answer: isPiped ? itemFailures : checkpoint, comesAgainSoon: true };
}

/** Throws for a tumbling window: Lambda takes an answer without a `state` for a failed invocation, again and again. */
function streamRecordsOf(event: unknown, eventSource: string): readonly unknown[] | undefined {
  const records = recordsIn(event);
  if (records === undefined || (records.length > 0 && !isOf(records, eventSource))) return undefined;
  if (!isOfWindow(event)) return records;
  throw new UnsupportedEventError(
    'Cannot read a batch of a tumbling window: its answer must include the state of all records before it, but batchlatch ' +
      'runs each record by itself; remove TumblingWindowInSeconds from the event source mapping',
  );
}

/** What EventBridge Pipes hands to a function of this source: a list of its records, also of one. */
export function pipedRecordsOf(event: unknown, eventSource: string): readonly unknown[] | undefined {
  return Array.isArray(event) && isOf(event, eventSource) ? event : undefined;
}

/** `Records` of an event of any sender. */
export function recordsIn(event: unknown): readonly unknown[] | undefined {
  if (!isObject(event) || !('Records' in event)) return undefined;
  return Array.isArray(event.Records) ? event.Records : undefined;
}

export function eventSourceOf(record: unknown): unknown {
  if (!isObject(record)) return undefined;
  if ('eventSource' in record) return record.eventSource;
  return 'EventSource' in record ? record.EventSource : undefined; // SNS writes it with a capital
}

function isOfWindow(event: unknown): boolean {
  return isObject(event) && ('window' in event || 'isFinalInvokeForWindow' in event);
}

/** The first record that says whose it is decides. */
function isOf(records: readonly unknown[], eventSource: string): boolean {
  const first = records.find((record) => typeof eventSourceOf(record) === 'string');
  return first !== undefined && eventSourceOf(first) === eventSource;
}

/** The members of what may be anything, as far as they are there. */
export function membersOf<Shape>(value: unknown): Partial<Shape> {
  return typeof value === 'object' && value !== null ? value : {}; // without a call, for each of thousands
}

/** Without a list of its members, for each of thousands of records. */
export function hasMembers(value: object | null | undefined): boolean {
  for (const _name in value) return true;
  return false;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Epoch milliseconds of what streams give in seconds; undefined where they give none. */
export function epochMsOfSeconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.round(seconds * 1_000) : undefined;
}

/** Epoch milliseconds of an ISO 8601 text; undefined where it is none. */
export function epochMsOfText(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** The entry of a record that is not what its source promises. */
export function malformed(
  what: string,
  { itemIdentifier, lane }: Partial<Pick<SourceEntry, 'itemIdentifier' | 'lane'>>,
  problem: string,
): SourceEntry<never> {
  const error = new MalformedRecordError(`The ${what} is malformed: ${problem}`);
  return { itemIdentifier, lane, read: { error } };
}
