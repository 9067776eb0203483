import type { S3EventRecord } from 'aws-lambda';
import { isObject } from '../base/is-object.ts';
import { allOrNothing } from './answers.ts';
import type { EnvelopeStep } from './decode-step.ts';
import { envelopeStep } from './envelope-steps.ts';
import { MalformedRecordError } from './errors.ts';
import { epochMsOfText, isText, malformed, membersOf, recordsOf, textOf } from './event-records.ts';
import type { S3BatchRecord, S3Notification } from './record.ts';
import type { Source, SourceEntry } from './source.ts';

/**
 * Returns the source for event notifications that S3 sends to the function, with one or several objects. S3
 * reads no list of failures: a failure rejects the invocation. The test message `s3:TestEvent` is
 * acknowledged and runs nothing.
 *
 * @typeParam Body The type of the record's body.
 */
export function s3<Body = S3Notification>(): Source<S3BatchRecord<Body>> {
  return {
    name: 'S3',
    read(event) {
      if (isS3TestEvent(event)) return { entries: [TEST_ENTRY], answer: allOrNothing };
      const records = recordsOf(event, 'aws:s3');
      return records && { entries: records.map(s3Entry), answer: allOrNothing, comesAgainSoon: true };
    },
  } satisfies Source<S3BatchRecord> as Source<S3BatchRecord<Body>>;
}

const TEST_ENTRY: SourceEntry<S3BatchRecord> = {
  itemIdentifier: undefined,
  lane: undefined,
  read: { ignored: 's3:TestEvent' },
};

function s3Entry(record: unknown): SourceEntry<S3BatchRecord> {
  const raw = membersOf(record) as S3EventRecord;
  // Used only in logs; the object's key may be confidential.
  const itemIdentifier = textOf(raw.responseElements?.['x-amz-request-id']);
  try {
    if (raw.eventSource !== 'aws:s3') {
      return malformed(
        'S3 record',
        { itemIdentifier },
        `its eventSource is ${JSON.stringify(raw.eventSource)}`,
      );
    }
    return { itemIdentifier, lane: undefined, read: { record: s3Record(raw) } };
  } catch (thrown) {
    return { itemIdentifier, lane: undefined, read: { error: thrown as Error } };
  }
}

function s3Record(raw: S3EventRecord): S3BatchRecord {
  const { id, body, attributes } = s3NotificationOf(raw);
  return {
    source: 's3',
    id,
    body,
    get rawBody() {
      return JSON.stringify(raw.s3);
    },
    attributes,
    receiveCount: 1,
    sentAt: epochMsOfText(raw.eventTime),
    messageGroupId: undefined,
    envelope: undefined,
    raw,
  };
}

/**
 * Returns a step of `decode` that unwraps S3 event notifications in a queue or a topic. The body becomes an
 * `S3Notification`; the default key is the one of a notification that S3 sends to the function.
 */
export function s3Envelope(): EnvelopeStep {
  return envelopeStep((value) => {
    if (isS3TestEvent(value)) return { ignored: 's3:TestEvent' };
    const { id, attributes, body } = onlyRecord(value);
    return { envelope: { id, attributes }, inner: { value: body } };
  });
}

/** Returns the only record of a message. S3 sends one each; several could not share the message's claim. */
function onlyRecord(value: unknown): ReadS3Notification {
  const records = isObject(value) && 'Records' in value ? value.Records : undefined;
  if (!Array.isArray(records)) {
    throw new MalformedRecordError(
      'The body is not an S3 event notification (an object with Records), as s3Envelope() expects',
    );
  }
  if (records.length !== 1) {
    throw new MalformedRecordError(
      `The body is an S3 event notification of ${records.length} records; a message must have exactly one`,
    );
  }
  return s3NotificationOf(records[0]);
}

interface ReadS3Notification {
  readonly id: string;
  readonly body: S3Notification;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Reads one record of an S3 event notification. S3 sends no ID: bucket, key, version, sequencer and event
 * name together identify it. Only puts and deletes have a sequencer; time and request ID tell other events of
 * an object apart, such as changes of its tags. Throws a `MalformedRecordError` without bucket, key or event
 * name.
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
function s3NotificationOf(record: unknown): ReadS3Notification {
  const { eventName, awsRegion, eventTime, responseElements, s3 } = membersOf<S3EventRecord>(record);
  const bucket: unknown = s3?.bucket?.name;
  const encodedKey: unknown = s3?.object?.key;
  const problem = !isText(eventName)
    ? 'no eventName'
    : !isText(bucket)
      ? 'no s3.bucket.name'
      : !isText(encodedKey)
        ? 'no s3.object.key'
        : undefined;
  if (problem !== undefined) {
    throw new MalformedRecordError(`The S3 event notification is malformed: it has ${problem}`);
  }
  const { size, eTag, versionId, sequencer }: Partial<S3EventRecord['s3']['object']> = s3?.object ?? {};
  const body: S3Notification = {
    eventName: eventName as string,
    bucket: bucket as string,
    key: decodeKey(encodedKey as string),
    versionId,
    size,
    eTag,
    sequencer,
  };
  const id = [body.bucket, body.key, versionId ?? '', sequencer ?? '', body.eventName];
  if (sequencer === undefined) id.push(eventTime ?? '', responseElements?.['x-amz-request-id'] ?? '');
  return {
    id: JSON.stringify(id),
    body,
    attributes: {
      eventName: body.eventName,
      ...(typeof awsRegion === 'string' && { region: awsRegion }),
      ...(typeof eventTime === 'string' && { eventTime }),
    },
  };
}

function isS3TestEvent(value: unknown): boolean {
  return isObject(value) && 'Event' in value && value.Event === 's3:TestEvent' && !('Records' in value);
}

/** Decodes a key, which S3 encodes like form data: a space is a plus sign. */
function decodeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch (cause) {
    throw new MalformedRecordError("The S3 event notification's key is not URL-encoded", {
      cause,
    });
  }
}
