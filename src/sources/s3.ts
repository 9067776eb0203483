import type { S3EventRecord } from 'aws-lambda';
import { epochMsOfText } from './epoch.ts';
import { MalformedRecordError } from './errors.ts';
import type { S3BatchRecord } from './record.ts';
import { s3NotificationOf } from './s3-notification.ts';
import type { SourceBatch, SourceEntry } from './source-batch.ts';

/** Event notifications that S3 delivers to the function itself, one or several: there is no list to answer with. */
export function s3Batch(records: readonly unknown[]): SourceBatch {
  return { entries: records.map(s3Entry), answer: 'all-or-nothing', comesAgainSoon: true };
}

function s3Entry(record: unknown): SourceEntry {
  const raw = (typeof record === 'object' && record !== null ? record : {}) as S3EventRecord;
  // Nothing is answered by it; it is what logs show, and an object's key may be nothing for a log.
  const requestId: unknown = raw.responseElements?.['x-amz-request-id'];
  const itemIdentifier = typeof requestId === 'string' && requestId !== '' ? requestId : undefined;
  try {
    if (raw.eventSource !== 'aws:s3') {
      throw new MalformedRecordError(
        `The S3 record is malformed: its eventSource is ${JSON.stringify(raw.eventSource)}`,
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
