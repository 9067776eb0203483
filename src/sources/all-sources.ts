import { dynamoDBStream } from './dynamodb-stream.ts';
import { UnsupportedEventError } from './errors.ts';
import { eventSourceOf, recordsIn } from './event-records.ts';
import { eventShape, shownName } from './read-from.ts';
import { FOR_BARE_DATA, recognisedEventBridgeBus } from './eventbridge-bus.ts';
import { eventBridge } from './eventbridge.ts';
import { kafka } from './kafka.ts';
import { kinesis } from './kinesis.ts';
import { s3 } from './s3.ts';
import { sns } from './sns.ts';
import type { Source } from './source.ts';
import { sqs } from './sqs.ts';

const READABLE_FROM_PIPES =
  'SQS, Kinesis and DynamoDB Streams from EventBridge Pipes without an input transformer; ' + FOR_BARE_DATA;
const READABLE = 'SQS, Kinesis, DynamoDB Streams, Kafka, SNS, S3, EventBridge with Pipes and custom buses';

/**
 * Returns the source that reads events of every known service: the default of `source`. It rejects any other
 * event with an `UnsupportedEventError`, which names the event's members or the `eventSource` of its records.
 */
export function allSources(): Source {
  const sources: readonly Source[] = [
    sqs(),
    kinesis(),
    dynamoDBStream(),
    sns(),
    s3(),
    eventBridge(),
    recognisedEventBridgeBus(),
    kafka(),
  ];
  return {
    name: 'every known source',
    read(event) {
      for (const source of sources) {
        const batch = source.read(event);
        if (batch !== undefined) return batch;
      }
      throw unsupported(event);
    },
  };
}

function unsupported(event: unknown): UnsupportedEventError {
  const isOfPipes = Array.isArray(event) && event.length > 0;
  const records: readonly unknown[] | undefined = isOfPipes ? event : recordsIn(event);
  const shape =
    isOfPipes || records === undefined ? eventShape(event) : `a batch of ${records.length} records`;
  const sources = records === undefined ? '' : ` ${sourcesOf(records)}`;
  const readable = isOfPipes ? READABLE_FROM_PIPES : READABLE;
  return new UnsupportedEventError(`Cannot read ${shape}${sources}: batchlatch reads ${readable}`);
}

function sourcesOf(records: readonly unknown[]): string {
  const names = [...new Set(records.map(eventSourceOf))].map((source) =>
    source === undefined ? 'no eventSource' : shownName(JSON.stringify(source) ?? typeof source),
  );
  return `with ${names.slice(0, 3).join(', ')}`;
}
