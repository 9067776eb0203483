import type { S3EventRecord } from 'aws-lambda';
import { MalformedRecordError } from './errors.ts';
import { isText, membersOf } from './members.ts';
import type { S3Notification } from './record.ts';
import { isObject } from '../base/is-object.ts';

/** What S3 says of one object, and the id that makes its redeliveries one work. */
export interface ReadS3Notification {
  readonly id: string;
  readonly body: S3Notification;
  readonly attributes: Readonly<Record<string, string>>;
}

/**
 * Reads one record of an S3 event notification. S3 gives it no id of its own: bucket, key, version, sequencer and
 * event name together are one. Throws a `MalformedRecordError` without bucket, key or event name.
 *
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/notification-content-structure.html
 */
export function s3NotificationOf(record: unknown): ReadS3Notification {
  const { eventName, awsRegion, eventTime, s3 } = membersOf<S3EventRecord>(record);
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
    throw new MalformedRecordError(`The record of an S3 event notification is malformed: it has ${problem}`);
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
  return {
    id: JSON.stringify([body.bucket, body.key, versionId ?? '', sequencer ?? '', body.eventName]),
    body,
    attributes: {
      eventName: body.eventName,
      ...(typeof awsRegion === 'string' && { region: awsRegion }),
      ...(typeof eventTime === 'string' && { eventTime }),
    },
  };
}

/** The message by which S3 tries out a queue or a topic when a notification is set up. */
export function isS3TestEvent(value: unknown): boolean {
  return isObject(value) && 'Event' in value && value.Event === 's3:TestEvent' && !('Records' in value);
}

/** S3 encodes keys as forms do: a space is a plus sign. */
function decodeKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch (cause) {
    throw new MalformedRecordError(
      'The record of an S3 event notification has a key that is not URL-encoded',
      {
        cause,
      },
    );
  }
}
