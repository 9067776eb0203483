import { dynamoDBStreamBatch } from './dynamodb-stream.ts';
import { UnsupportedEventError } from './errors.ts';
import { eventBridgeBatch, isEventBridgeEvent } from './eventbridge.ts';
import { knownService } from './known-services.ts';
import { kinesisBatch } from './kinesis.ts';
import { pipesBatch, type PipesSource } from './pipes.ts';
import { s3Batch } from './s3.ts';
import { isS3TestEvent } from './s3-notification.ts';
import { snsBatch } from './sns.ts';
import type { Reading, SourceBatch } from './source-batch.ts';
import { sqsBatch } from './sqs.ts';

const READABLE =
  'batches of SQS, Kinesis and DynamoDB Streams, what SNS, S3 and EventBridge deliver directly, and lists of EventBridge Pipes';

type RecordsSource = PipesSource | 'aws:sns' | 'aws:s3';

const sources: Readonly<
  Record<RecordsSource, (records: readonly unknown[], reading: Reading) => SourceBatch>
> = {
  'aws:sqs': sqsBatch,
  'aws:kinesis': kinesisBatch,
  'aws:dynamodb': dynamoDBStreamBatch,
  'aws:sns': snsBatch,
  'aws:s3': s3Batch,
};

const pipesSources: readonly RecordsSource[] = [
  'aws:sqs',
  'aws:kinesis',
  'aws:dynamodb',
] satisfies PipesSource[];

/**
 * Recognises what Lambda was invoked with. An unknown event is an error and never an empty success: a
 * success would tell the sender that its messages are done.
 */
export function readEvent(event: unknown, reading: Reading): SourceBatch {
  if (Array.isArray(event)) return listBatch(event, reading);
  if (typeof event === 'object' && event !== null) {
    if ('Records' in event && Array.isArray(event.Records)) {
      refuseWindow(event);
      return recordsBatch(event.Records, reading);
    }
    if (isEventBridgeEvent(event)) return eventBridgeBatch(event);
    if (isS3TestEvent(event)) return { entries: [testEntry()], answer: 'all-or-nothing' };
  }
  throw new UnsupportedEventError(`Cannot read ${describe(event)}: batchlatch reads ${READABLE}`);
}

function recordsBatch(records: readonly unknown[], reading: Reading): SourceBatch {
  if (records.length === 0) return { entries: [], answer: 'item-failures' };
  const source = knownSource(records);
  if (source !== undefined) return sources[source](records, reading);
  throw new UnsupportedEventError(
    `Cannot read a batch of ${records.length} records ${whose({ Records: records }, records)}: batchlatch reads ${READABLE}`,
  );
}

function listBatch(records: readonly unknown[], reading: Reading): SourceBatch {
  const source = knownSource(records);
  if (source !== undefined && pipesSources.includes(source)) {
    return pipesBatch(records, source as PipesSource, reading);
  }
  if (records.length === 0) {
    throw new UnsupportedEventError(`Cannot read an empty array: batchlatch reads ${READABLE}`);
  }
  throw new UnsupportedEventError(
    `Cannot read an array of ${records.length} records ${whose(records, records)}: of EventBridge Pipes, batchlatch reads ` +
      'records of SQS, Kinesis and DynamoDB Streams as the source gave them, so without an input transformer',
  );
}

/** One record with a name among damaged ones is enough to know whose batch this is; the others fail alone. */
function knownSource(records: readonly unknown[]): RecordsSource | undefined {
  for (const record of records) {
    const source = eventSourceOf(record);
    if (typeof source === 'string' && Object.hasOwn(sources, source)) return source as RecordsSource;
  }
  return undefined;
}

/** With tumbling windows, Lambda takes an answer without a `state` for a failed invocation, again and again. */
function refuseWindow(event: object): void {
  if (!('window' in event || 'isFinalInvokeForWindow' in event)) return;
  throw new UnsupportedEventError(
    'Cannot read a batch of a tumbling window: its answer has to carry the state of all records before it, and batchlatch ' +
      'runs each record by itself; take TumblingWindowInSeconds out of the event source mapping',
  );
}

function testEntry(): SourceBatch['entries'][number] {
  return { itemIdentifier: undefined, lane: undefined, read: { ignored: 's3:TestEvent' } };
}

function eventSourceOf(record: unknown): unknown {
  if (typeof record !== 'object' || record === null) return undefined;
  if ('eventSource' in record) return record.eventSource;
  return 'EventSource' in record ? record.EventSource : undefined; // SNS writes it with a capital
}

/** Whose records they are, by the service's name where it is known, and by what they say themselves. */
function whose(event: object, records: readonly unknown[]): string {
  const names = [...new Set(records.map(eventSourceOf))].map((source) =>
    source === undefined ? 'no eventSource' : shown(JSON.stringify(source) ?? typeof source),
  );
  const service = knownService(event);
  return `${service === undefined ? '' : `of ${service} `}with ${names.slice(0, 3).join(', ')}`;
}

function describe(event: unknown): string {
  if (event === null || typeof event !== 'object')
    return `an event that is ${event === null ? 'null' : `a ${typeof event}`}`;
  const members = Object.keys(event);
  if (members.length === 0) return 'an empty event';
  const service = knownService(event);
  return (
    `an event ${service === undefined ? '' : `of ${service} `}` +
    `with ${members.slice(0, 8).map(shown).join(', ')}${members.length > 8 ? ', …' : ''}`
  );
}

/** Names in an event may be as long as the event. */
function shown(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
}

const LONGEST_NAME = 60;
