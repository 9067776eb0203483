import type { EnvelopeStep } from './decode-step.ts';
import { envelopeStep } from './envelope-steps.ts';
import { MalformedRecordError } from './errors.ts';
import { isS3TestEvent, type ReadS3Notification, s3NotificationOf } from './s3-notification.ts';
import { isObject } from '../base/is-object.ts';

/**
 * A step of `decode`: takes the notification of one object out of an S3 event notification, as S3 puts it into a queue or
 * a topic. The body is an `S3Notification`, and the key by default the same as when S3 invokes the function itself.
 */
export function s3Envelope(): EnvelopeStep {
  return envelopeStep((value) => {
    // S3 sends it once, when the notification is set up, and waits for no answer: it is acknowledged.
    if (isS3TestEvent(value)) return { ignored: 's3:TestEvent' };
    const { id, attributes, body } = onlyRecord(value);
    return { envelope: { id, attributes }, inner: { value: body } };
  });
}

/** S3 puts one record into a message. A message is one claim and one answer, so more cannot be told apart. */
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
