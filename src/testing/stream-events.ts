import { randomUUID } from 'node:crypto';
import type {
  AttributeValue,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  KinesisStreamEvent,
  KinesisStreamRecord,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import { marshall } from '@aws-sdk/util-dynamodb';
import { isObject } from '../base/is-object.ts';
import { anObject, aString, checkOptionsOf, oneOf, required } from '../options/check-options.ts';
import { aFiniteNumber, base64Of, checkRecords } from './check-members.ts';

/** A record of a Kinesis stream, as a test specifies it; other members are filled in. */
export interface KinesisMessage {
  /** The data: a string or bytes are sent unchanged, anything else as JSON. */
  readonly body: unknown;
  /** The partition key. Default `1`. */
  readonly partitionKey?: string;
  /** The sequence number. Default: one more than the previous record's, with 56 digits as in Kinesis. */
  readonly sequenceNumber?: string;
  /** When it was written, in epoch milliseconds. Default: now. */
  readonly sentAt?: number;
}

/** Options of `kinesisEvent`. */
export interface KinesisEventOptions {
  /** The stream's name. Default `orders`. */
  readonly streamName?: string;
  /** The shard. Default `shardId-000000000000`. */
  readonly shardId?: string;
}

const FIRST_SEQUENCE_NUMBER = 49_590_338_271_490_256_608_559_692_538_361_571_095_921_575_989_136_588_898n;

/**
 * Returns a batch of one shard of a Kinesis stream as Lambda delivers it.
 *
 * @param messages The records.
 * @param options The stream and shard they come from.
 * @throws `ConfigurationError` for an unknown or invalid member or option.
 */
export function kinesisEvent(
  messages: readonly KinesisMessage[],
  options: KinesisEventOptions = {},
): KinesisStreamEvent {
  checkRecords('kinesisEvent', messages, {
    content: 'body',
    checks: { partitionKey: aString(), sequenceNumber: aString(), sentAt: aFiniteNumber() },
  });
  checkOptionsOf('kinesisEvent', options, { streamName: aString(), shardId: aString() });
  const { streamName = 'orders', shardId = 'shardId-000000000000' } = options;
  let previous = FIRST_SEQUENCE_NUMBER - 1n;
  const records = messages.map(({ body, partitionKey = '1', sequenceNumber, sentAt = Date.now() }) => {
    const number = sequenceNumber ?? String(previous + 1n);
    if (/^\d+$/.test(number)) previous = BigInt(number);
    return {
      kinesis: {
        kinesisSchemaVersion: '1.0',
        partitionKey,
        sequenceNumber: number,
        data: base64Of(body),
        approximateArrivalTimestamp: sentAt / 1_000,
      },
      eventSource: 'aws:kinesis',
      eventVersion: '1.0',
      eventID: `${shardId}:${number}`,
      eventName: 'aws:kinesis:record',
      invokeIdentityArn: 'arn:aws:iam::123456789012:role/test-function',
      awsRegion: 'us-east-1',
      eventSourceARN: `arn:aws:kinesis:us-east-1:123456789012:stream/${streamName}`,
    };
  });
  return { Records: records };
}

/** A change of a DynamoDB item, as a test specifies it; other members are filled in. */
export interface DynamoDBStreamChange {
  /** The item's primary key, as plain values. */
  readonly keys: Readonly<Record<string, unknown>>;
  /** The item after the change. Default: none. */
  readonly newImage?: Readonly<Record<string, unknown>>;
  /** The item before the change. Default: none. */
  readonly oldImage?: Readonly<Record<string, unknown>>;
  /** The kind of change. Default: derived from the images. */
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE';
  /** The sequence number. Default: 100 more than the previous record's. */
  readonly sequenceNumber?: string;
  /** The event id. Default: random. */
  readonly eventId?: string;
  /** When it was written, in epoch milliseconds. Default: now. */
  readonly sentAt?: number;
}

/** Options of `dynamoDBStreamEvent`. */
export interface DynamoDBStreamEventOptions {
  /** The table's name. Default `orders`. */
  readonly tableName?: string;
}

const FIRST_CHANGE = 100_000_000_000_000_000_001n;

const TABLES = 'arn:aws:dynamodb:us-east-1:123456789012:table';

/**
 * Returns a batch of one shard of a table's stream as Lambda delivers it. Keys and images are plain values.
 *
 * @param changes The changes.
 * @param options The table they come from.
 * @throws `ConfigurationError` for an unknown or invalid member or option.
 */
export function dynamoDBStreamEvent(
  changes: readonly DynamoDBStreamChange[],
  options: DynamoDBStreamEventOptions = {},
): DynamoDBStreamEvent {
  checkRecords('dynamoDBStreamEvent', changes, {
    content: 'keys',
    checks: {
      keys: required(anObject()),
      newImage: anObject(),
      oldImage: anObject(),
      eventName: oneOf('INSERT', 'MODIFY', 'REMOVE'),
      sequenceNumber: aString(),
      eventId: aString(),
      sentAt: aFiniteNumber(),
    },
  });
  checkOptionsOf('dynamoDBStreamEvent', options, { tableName: aString() });
  const { tableName = 'orders' } = options;
  let previous = FIRST_CHANGE - 100n;
  const records = changes.map((change): DynamoDBRecord => {
    const { keys, newImage, oldImage, sentAt = Date.now() } = change;
    const number = change.sequenceNumber ?? String(previous + 100n);
    if (/^\d+$/.test(number)) previous = BigInt(number);
    const byImages = newImage === undefined ? 'REMOVE' : oldImage === undefined ? 'INSERT' : 'MODIFY';
    return {
      eventID: change.eventId ?? randomUUID().replaceAll('-', ''),
      eventName: change.eventName ?? byImages,
      eventVersion: '1.1',
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(sentAt / 1_000),
        Keys: attributesOf(keys),
        ...(newImage !== undefined && { NewImage: attributesOf(newImage) }),
        ...(oldImage !== undefined && { OldImage: attributesOf(oldImage) }),
        SequenceNumber: number,
        SizeBytes: 100,
        StreamViewType: 'NEW_AND_OLD_IMAGES',
      },
      eventSourceARN: `${TABLES}/${tableName}/stream/2026-01-01T00:00:00.000`,
    };
  });
  return { Records: records };
}

function attributesOf(values: Readonly<Record<string, unknown>>): Record<string, AttributeValue> {
  return withBase64(marshall(values, { removeUndefinedValues: true })) as Record<string, AttributeValue>;
}

/** Converts bytes to base64, as Lambda delivers them. */
function withBase64(value: unknown): unknown {
  if (ArrayBuffer.isView(value)) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  }
  if (Array.isArray(value)) return value.map(withBase64);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withBase64(member)]));
}

/**
 * Converts the result of `sqsEvent`, `kinesisEvent` or `dynamoDBStreamEvent` to the list that EventBridge
 * Pipes passes to a function. The `kinesis` members of Kinesis records become members of the record.
 *
 * @param event The event that the other function returned.
 */
export function pipesEvent(event: SQSEvent | KinesisStreamEvent | DynamoDBStreamEvent): object[] {
  return event.Records.map((record: SQSRecord | KinesisStreamRecord | DynamoDBRecord) => {
    if (!('kinesis' in record)) return record;
    const { kinesis, ...rest } = record;
    return { ...kinesis, ...rest };
  });
}
