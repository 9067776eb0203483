import { Buffer } from 'node:buffer';
import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { hasInexactNumber } from '../lines/has-inexact-number.ts';
import { type BadLine, isBad, type Line, type LineBody, lineBody } from '../../sending/line-body.ts';
import type { Sendable } from '../../sending/outgoing.ts';

/** The options that turn lines into events. */
export interface EventOptions {
  /** With both, a line is the detail of an event; with neither, it is the whole event. */
  readonly source?: string;
  readonly detailType?: string;
}

export interface OutgoingEvent extends Sendable {
  readonly entry: PutEventsRequestEntry;
}

/** The most bytes of all events of one request. */
export const MOST_BYTES_OF_EVENTS = 262_144;
/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-putevents.html */
const MOST_BYTES_OF_EVENT = 1_048_576;
const BYTES_OF_TIME = 14;

/** Returns the event of a line, or the problem with the line. */
export function outgoingEvent(line: Line, options: EventOptions): OutgoingEvent | BadLine {
  const read = lineBody(line, false);
  if (isBad(read)) return read;
  if (!isObject(read.value)) return { problem: 'is not a JSON object' };
  const entry = options.source === undefined ? entryOf(read, read.value) : entryWithDetail(read, options);
  if (isBad(entry)) return entry;
  const bytes = bytesOf(entry);
  if (bytes > MOST_BYTES_OF_EVENT) {
    return { problem: `has more than ${MOST_BYTES_OF_EVENT.toLocaleString('en-US')} bytes` };
  }
  return { line: line.number, bytes, entry };
}

function entryWithDetail({ body }: LineBody, { source, detailType }: EventOptions): PutEventsRequestEntry {
  return { Source: source, DetailType: detailType, Detail: body };
}

type Members = Readonly<Record<string, unknown>>;

/** Reads an event as rules receive it, or an entry of `PutEvents`. */
function entryOf({ body }: LineBody, event: Members): PutEventsRequestEntry | BadLine {
  const source = event['source'] ?? event['Source'];
  const detailType = event['detail-type'] ?? event['DetailType'];
  if (!isText(source) || !isText(detailType)) {
    return {
      problem: 'has no source and detail-type; lines that are details need --source and --detail-type',
    };
  }
  const detail = event['detail'] ?? event['Detail'];
  if (!isText(detail) && !isObject(detail)) return { problem: 'has no detail that is an object' };
  // A detail that is a text is sent as it is: EventBridge checks that it is JSON.
  if (isObject(detail) && hasInexactNumber(body)) {
    return { problem: 'has a number with more digits than JavaScript reads; make it a string' };
  }
  const time = event['time'] ?? event['Time'];
  const at = time === undefined ? undefined : timeOf(time);
  if (time !== undefined && at === undefined) return { problem: 'has a time that is not a date' };
  const resources = event['resources'] ?? event['Resources'];
  return {
    Source: source,
    DetailType: detailType,
    Detail: isText(detail) ? detail : JSON.stringify(detail),
    ...(at !== undefined && { Time: at }),
    ...(Array.isArray(resources) && { Resources: resources.filter(isText) }),
  };
}

/** Parses ISO 8601, or epoch seconds as AWS's CLI takes them. */
function timeOf(time: unknown): Date | undefined {
  const date =
    typeof time === 'number' ? new Date(time * 1_000) : isText(time) ? new Date(time) : new Date(Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Counts the bytes as "Calculating PutEvents event entry size" in EventBridge's guide does. */
function bytesOf({ Source, DetailType, Detail, Time, Resources = [] }: PutEventsRequestEntry): number {
  const texts = [Source ?? '', DetailType ?? '', Detail ?? '', ...Resources];
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes + (Time === undefined ? 0 : BYTES_OF_TIME);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
