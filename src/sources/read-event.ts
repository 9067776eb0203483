import { UnsupportedEventError } from './errors.ts';
import { eventBridgeBatch, isEventBridgeEvent } from './eventbridge.ts';
import type { SourceBatch } from './source-batch.ts';
import { sqsBatch } from './sqs.ts';
import type { Unwrap } from './unwrap.ts';

const READABLE = 'SQS batches and EventBridge events';

/**
 * Recognises what Lambda was invoked with. An unknown event is an error and never an empty success: a
 * success would tell the sender that its messages are done.
 */
export function readEvent(event: unknown, unwrap: Unwrap | undefined): SourceBatch {
  if (typeof event === 'object' && event !== null) {
    if ('Records' in event && Array.isArray(event.Records)) return recordsBatch(event.Records, unwrap);
    if (isEventBridgeEvent(event)) return eventBridgeBatch(event);
  }
  throw new UnsupportedEventError(`Cannot read ${describe(event)}: batchlatch reads ${READABLE}`);
}

function recordsBatch(records: readonly unknown[], unwrap: Unwrap | undefined): SourceBatch {
  const sources = new Set(records.map(eventSourceOf));
  // One record of SQS among damaged ones is enough to know whose batch this is; the others fail alone.
  if (records.length === 0 || sources.has('aws:sqs')) return sqsBatch(records, unwrap);
  const names = [...sources].map((source) =>
    source === undefined ? 'no eventSource' : JSON.stringify(source),
  );
  throw new UnsupportedEventError(
    `Cannot read a batch of ${records.length} records with ${names.slice(0, 3).join(', ')}: batchlatch reads ${READABLE}`,
  );
}

function eventSourceOf(record: unknown): unknown {
  if (typeof record !== 'object' || record === null) return undefined;
  if ('eventSource' in record) return record.eventSource;
  return 'EventSource' in record ? record.EventSource : undefined; // SNS writes it with a capital
}

function describe(event: unknown): string {
  if (event === null || typeof event !== 'object')
    return `an event that is ${event === null ? 'null' : `a ${typeof event}`}`;
  if (Array.isArray(event)) return `an array of ${event.length} (EventBridge Pipes?)`;
  const members = Object.keys(event);
  return members.length === 0
    ? 'an empty event'
    : `an event with ${members.slice(0, 8).join(', ')}${members.length > 8 ? ', …' : ''}`;
}
