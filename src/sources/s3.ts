import type { S3EventRecord } from 'aws-lambda';
import { allOrNothing } from './answers.ts';
import { epochMsOfText } from './epoch.ts';
import { recordsOf } from './event-records.ts';
import { malformed } from './malformed.ts';
import { membersOf, textOf } from './members.ts';
import type { S3BatchRecord, S3Notification } from './record.ts';
import { isS3TestEvent, s3NotificationOf } from './s3-notification.ts';
import type { Source, SourceEntry } from './source.ts';

/**
 * Event notifications that S3 delivers to the function itself, of one object or several. It takes no list for an answer:
 * a failure rejects. The message by which S3 tries out a notification is acknowledged and runs nothing.
 *
 * @typeParam Body The type of the record's body.
 */
export function s3<Body = S3Notification>(): Source<S3BatchRecord<Body>> {
  const source: Source<S3BatchRecord> = {
    name: 'S3',
    read(event) {
      if (isS3TestEvent(event)) return { entries: [TEST_ENTRY], answer: allOrNothing };
      const records = recordsOf(event, 'aws:s3');
      return records && { entries: records.map(s3Entry), answer: allOrNothing, comesAgainSoon: true };
    },
  };
  return source as Source<S3BatchRecord<Body>>;
}

const TEST_ENTRY: SourceEntry<S3BatchRecord> = {
  itemIdentifier: undefined,
  lane: undefined,
  read: { ignored: 's3:TestEvent' },
};

function s3Entry(record: unknown): SourceEntry<S3BatchRecord> {
  const raw = membersOf(record) as S3EventRecord;
  // Nothing is answered by it; it is what logs show, and an object's key may be nothing for a log.
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
