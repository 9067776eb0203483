import { isObject } from '../base/is-object.ts';
import { checkpoint, itemFailures } from './answers.ts';
import { MalformedRecordError, UnsupportedEventError } from './errors.ts';
import type { BatchRecord } from './record.ts';
import type { SourceBatch, SourceEntry } from './source.ts';

/**
 * Returns the records of `{ Records: […] }` if the first record with an event source names this one. Damaged
 * records beside it then fail alone. An empty batch matches every source.
 */
export function recordsOf(event: unknown, eventSource: string): readonly unknown[] | undefined {
  const records = recordsIn(event);
  if (records === undefined) return undefined;
  const isOurs = records.length === 0 ? !isOfWindow(event) : isOf(records, eventSource);
  return isOurs ? records : undefined;
}

/**
 * Reads the batch of a stream, from Lambda or from EventBridge Pipes. The response to Lambda is a checkpoint.
 * A pipe delivers the records again that the response lists by eventID:
 * https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-pipes-batching-concurrency.html
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

/** Throws for a tumbling window: Lambda retries a response without a `state` again and again. */
function streamRecordsOf(event: unknown, eventSource: string): readonly unknown[] | undefined {
  const records = recordsIn(event);
  if (records === undefined || (records.length > 0 && !isOf(records, eventSource))) return undefined;
  if (!isOfWindow(event)) return records;
  throw new UnsupportedEventError(
    'Cannot read a tumbling window: remove TumblingWindowInSeconds from the event source mapping',
  );
}

/** Returns the records of an EventBridge Pipes event, always an array, if they are of this source. */
export function pipedRecordsOf(event: unknown, eventSource: string): readonly unknown[] | undefined {
  return Array.isArray(event) && isOf(event, eventSource) ? event : undefined;
}

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

function isOf(records: readonly unknown[], eventSource: string): boolean {
  const first = records.find((record) => typeof eventSourceOf(record) === 'string');
  return first !== undefined && eventSourceOf(first) === eventSource;
}

/** Returns an object as it is, and `{}` for anything else, so that its members can be read. */
export function membersOf<Shape>(value: unknown): Partial<Shape> {
  return typeof value === 'object' && value !== null ? value : {}; // inlined: called for every record
}

/** Returns whether an object has members, without allocating a list of them for each record. */
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

/** Returns the members of an object that are strings. */
export function textsOf(members: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

export function epochMsOfSeconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? Math.round(seconds * 1_000) : undefined;
}

export function epochMsOfText(text: unknown): number | undefined {
  const time = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Says what is wrong with a record of another source. */
export function otherSource(eventSource: unknown, expected: string): string {
  return `its eventSource is ${JSON.stringify(eventSource)}, not "${expected}"`;
}

interface StreamMembers {
  readonly eventSource?: unknown;
  readonly eventID?: unknown;
  readonly eventSourceARN?: unknown;
}

/** Returns what is wrong with the source and the ID of a stream's record. */
export function streamProblem(
  { eventSource, eventID, eventSourceARN }: StreamMembers,
  expected: string,
): string | undefined {
  if (eventSource !== expected) return otherSource(eventSource, expected);
  return isText(eventID) && isText(eventSourceARN) ? undefined : 'it has no eventID or no eventSourceARN';
}

/** Returns what is wrong with a member that must be a string. */
export function stringProblem(name: string, value: unknown): string | undefined {
  if (typeof value === 'string') return undefined;
  return `its ${name} is ${value === null ? 'null' : typeof value}, not a string`;
}

export function malformed(
  what: string,
  { itemIdentifier, lane }: Partial<Pick<SourceEntry, 'itemIdentifier' | 'lane'>>,
  problem: string,
): SourceEntry<never> {
  const error = new MalformedRecordError(`The ${what} is malformed: ${problem}`);
  return { itemIdentifier, lane, read: { error } };
}
