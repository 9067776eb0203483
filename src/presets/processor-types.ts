import type {
  Context,
  DynamoDBStreamEvent,
  EventBridgeEvent,
  KinesisStreamEvent,
  MSKEvent,
  S3Event,
  SelfManagedKafkaEvent,
  SNSEvent,
  SQSEvent,
} from 'aws-lambda';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { BatchProcessorOptions } from '../batch/options.ts';
import type { SchemaPolicy } from '../batch/policy.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import type { BatchResponse, KafkaBatchResponse } from '../sources/answers.ts';
import type { BatchRecord, WithBody } from '../sources/record.ts';
import type { Source } from '../sources/source.ts';

/**
 * A Lambda handler. Batches of queues and streams, and lists of EventBridge Pipes, get a partial response; what is
 * delivered directly (EventBridge, a custom event bus, SNS, S3) gets nothing, or a rejection.
 */
export interface BatchProcessor {
  (event: SQSEvent | KinesisStreamEvent | DynamoDBStreamEvent, context?: Context): Promise<BatchResponse>;
  (event: MSKEvent | SelfManagedKafkaEvent, context?: Context): Promise<KafkaBatchResponse>;
  /** A list of EventBridge Pipes gets a response, one of a custom event bus nothing. */
  (event: readonly object[], context?: Context): Promise<BatchResponse | undefined>;
  (event: EventBridgeEvent<string, unknown> | SNSEvent | S3Event, context?: Context): Promise<undefined>;
  (event: unknown, context?: Context): Promise<BatchResponse | KafkaBatchResponse | undefined>;
}

/** Options whose `schema` says what a body is. Whatever comes before the schema sees what was sent. */
type SchemaOptions<Body, Record extends BatchRecord> = Omit<BatchProcessorOptions, 'schema' | 'source'> & {
  readonly schema: SchemaPolicy<Body>;
  readonly source?: Source<Record>;
};

/** Options whose `source` says what a record is: `kinesis<Order>()` delivers a `KinesisBatchRecord<Order>`. */
type SourceOptions<Record extends BatchRecord> = Omit<BatchProcessorOptions<Record['body']>, 'source'> & {
  readonly source: Source<Record>;
};

/** Makes a processor from a handler of single records. `Needed`: options that have no default. */
export interface RecordMaker<Needed = unknown> {
  <Body, Record extends BatchRecord = BatchRecord>(
    recordHandler: RecordHandler<Body, WithBody<Record, Body>>,
    options: SchemaOptions<Body, Record> & Needed,
  ): BatchProcessor;
  <Record extends BatchRecord>(
    recordHandler: RecordHandler<Record['body'], Record>,
    options: SourceOptions<Record> & Needed,
  ): BatchProcessor;
  <Body = unknown>(recordHandler: RecordHandler<Body>, ...options: Given<Body, Needed>): BatchProcessor;
}

/** Makes a processor from a handler of many records. */
export interface BatchMaker<Needed = unknown> {
  <Body, Record extends BatchRecord = BatchRecord>(
    batchHandler: BatchHandler<Body, WithBody<Record, Body>>,
    options: SchemaOptions<Body, Record> & Needed,
  ): BatchProcessor;
  <Record extends BatchRecord>(
    batchHandler: BatchHandler<Record['body'], Record>,
    options: SourceOptions<Record> & Needed,
  ): BatchProcessor;
  <Body = unknown>(batchHandler: BatchHandler<Body>, ...options: Given<Body, Needed>): BatchProcessor;
}

/** The options may be left out where none is needed. */
type Given<Body, Needed> = unknown extends Needed
  ? [options?: BatchProcessorOptions<Body>]
  : [options: BatchProcessorOptions<Body> & Needed];
