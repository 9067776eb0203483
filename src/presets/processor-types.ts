import type {
  Context,
  DynamoDBStreamEvent,
  EventBridgeEvent,
  KinesisStreamEvent,
  S3Event,
  SNSEvent,
  SQSEvent,
} from 'aws-lambda';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { BatchProcessorOptions } from '../batch/options.ts';
import type { SchemaPolicy } from '../batch/policy.ts';
import type { RecordContext, RecordHandler } from '../batch/record-handler.ts';
import type { BatchResponse } from '../sources/answers.ts';
import type { BatchRecord } from '../sources/record.ts';
import type { Source } from '../sources/source.ts';

/**
 * A Lambda handler. Batches of queues and streams, and lists of EventBridge Pipes, get a partial response; what is
 * delivered directly (EventBridge, SNS, S3) gets nothing, or a rejection.
 */
export interface BatchProcessor {
  (event: SQSEvent | KinesisStreamEvent | DynamoDBStreamEvent, context?: Context): Promise<BatchResponse>;
  /** A list of EventBridge Pipes. */
  (event: readonly object[], context?: Context): Promise<BatchResponse>;
  (event: EventBridgeEvent<string, unknown> | SNSEvent | S3Event, context?: Context): Promise<undefined>;
  (event: unknown, context?: Context): Promise<BatchResponse | undefined>;
}

/** Options whose `schema` says what a body is. Whatever comes before the schema sees what was sent. */
export type SchemaOptions<Body> = Omit<BatchProcessorOptions, 'schema'> & {
  readonly schema: SchemaPolicy<Body>;
};

/** Options whose `source` says what a record is: `source: kinesis<Reading>()`. */
export type SourceOptions<Record extends BatchRecord> = Omit<
  BatchProcessorOptions<Record['body']>,
  'source'
> & {
  readonly source: Source<Record>;
};

/** A handler of the records of one source. */
export type SourceHandler<Record extends BatchRecord> = (record: Record, context: RecordContext) => unknown;

/** Makes a processor from a handler of single records. `Needed`: options that have no default. */
export interface RecordMaker<Needed = unknown> {
  <Body>(recordHandler: RecordHandler<Body>, options: SchemaOptions<Body> & Needed): BatchProcessor;
  <Record extends BatchRecord>(
    recordHandler: SourceHandler<Record>,
    options: SourceOptions<Record> & Needed,
  ): BatchProcessor;
  <Body = unknown>(recordHandler: RecordHandler<Body>, ...options: Given<Body, Needed>): BatchProcessor;
}

/** Makes a processor from a handler of many records. */
export interface BatchMaker<Needed = unknown> {
  <Body>(batchHandler: BatchHandler<Body>, options: SchemaOptions<Body> & Needed): BatchProcessor;
  <Body = unknown>(batchHandler: BatchHandler<Body>, ...options: Given<Body, Needed>): BatchProcessor;
}

/** The options may be left out where none is needed. */
type Given<Body, Needed> = unknown extends Needed
  ? [options?: BatchProcessorOptions<Body>]
  : [options: BatchProcessorOptions<Body> & Needed];
