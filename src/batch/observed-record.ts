import type { ObservedRecord } from '../observe/observed.ts';
import type { BatchRecord } from '../sources/record.ts';

/** Describes a record for observers. Header values are bounded, because any sender can choose them. */
export function observedRecord(record: BatchRecord, type?: string): ObservedRecord {
  const sourceArn = arnOf(record);
  return {
    sourceArn,
    destination: visible(destinationOf(record, sourceArn)),
    sentAt: record.sentAt,
    type,
    receiveCount: record.receiveCount,
    headerOf: (name) => bounded(headerOf(record, name)),
  };
}

/** `arn:partition:service:region:account:resource`. */
const ARN = /^arn:[\w-]{1,32}:[\w-]{1,64}:[\w-]{0,32}:\d{0,32}:[\w.:/*-]{1,512}$/;
const LONGEST_HEADER = 8_192;
const LONGEST_NAME = 256;

function arnOf(record: BatchRecord): string | undefined {
  const arn = givenArn(record);
  return typeof arn === 'string' && ARN.test(arn) ? arn : undefined;
}

function givenArn(record: BatchRecord): unknown {
  switch (record.source) {
    case 'sqs':
    case 'kinesis':
    case 'dynamodb-stream':
      return record.raw.eventSourceARN;
    case 'sns':
      return record.raw.Sns.TopicArn;
    case 's3':
      return record.raw.s3.bucket.arn;
    case 'eventbridge':
    case 'eventbridge-bus':
    case 'kafka':
      return undefined;
  }
}

function destinationOf(record: BatchRecord, arn: string | undefined): string | undefined {
  if (record.source === 'kafka') return record.topic;
  if (record.source === 'eventbridge' || record.source === 'eventbridge-bus') {
    return record.attributes['source'];
  }
  // queue; stream/name; table/name/stream/time; topic; bucket
  const resource = arn?.split(':').slice(5).join(':');
  return /^(?:stream|table)\/([^/]+)/.exec(resource ?? '')?.[1] ?? resource;
}

/** Returns the envelope's own attribute first: its sender is the one to trace. */
function headerOf(record: BatchRecord, name: string): string | undefined {
  const lower = name.toLowerCase();
  const found = ownOf(record.envelope?.attributes, lower) ?? ownOf(record.attributes, lower);
  if (found !== undefined || lower !== 'x-amzn-trace-id' || record.source !== 'sqs') return found;
  return record.raw.attributes?.AWSTraceHeader;
}

/** Finds an attribute; names are case-insensitive. */
function ownOf(attributes: Readonly<Record<string, string>> | undefined, lower: string): string | undefined {
  if (attributes === undefined) return undefined;
  if (Object.hasOwn(attributes, lower)) return attributes[lower];
  const name = Object.keys(attributes).find(
    (one) => one.length === lower.length && one.toLowerCase() === lower,
  );
  return name === undefined ? undefined : attributes[name];
}

function bounded(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_HEADER) return undefined;
  return /^[\x20-\x7E]+$/.test(value) ? value : undefined;
}

function visible(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return undefined;
  return name.slice(0, LONGEST_NAME).replaceAll(/[^\x21-\x7E]/g, '_');
}
