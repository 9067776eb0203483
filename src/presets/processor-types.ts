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
  /**
   * For a queue or a stream.
   *
   * @param event As Lambda gives it.
   * @param context As Lambda gives it; tells how much time is left.
   */
  (event: SQSEvent | KinesisStreamEvent | DynamoDBStreamEvent, context?: Context): Promise<BatchResponse>;
  /**
   * For Kafka.
   *
   * @param event As Lambda gives it.
   * @param context As Lambda gives it; tells how much time is left.
   */
  (event: MSKEvent | SelfManagedKafkaEvent, context?: Context): Promise<KafkaBatchResponse>;
  /**
   * A list of EventBridge Pipes gets a response, one of a custom event bus nothing.
   *
   * @param event As Lambda gives it.
   * @param context As Lambda gives it; tells how much time is left.
   */
  (event: readonly object[], context?: Context): Promise<BatchResponse | undefined>;
  /**
   * For what is delivered directly: it rejects when the event has to be delivered again.
   *
   * @param event As Lambda gives it.
   * @param context As Lambda gives it; tells how much time is left.
   */
  (event: EventBridgeEvent<string, unknown> | SNSEvent | S3Event, context?: Context): Promise<undefined>;
  /**
   * For any of these. An event that no source reads is an `UnsupportedEventError`.
   *
   * @param event As Lambda gives it.
   * @param context As Lambda gives it; tells how much time is left.
   */
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

/**
 * Makes a processor from a handler of single records.
 *
 * @typeParam Needed Options that have no default.
 */
export interface RecordMaker<Needed = unknown> {
  /**
   * With a `schema`, whose output is the body.
   *
   * @typeParam Body The schema's output.
   * @typeParam Record The kind of record that the source delivers.
   * @param recordHandler Does the work of one record.
   * @param options The `schema`, and what else is to be different from the defaults.
   */
  <Body, Record extends BatchRecord = BatchRecord>(
    recordHandler: RecordHandler<Body, WithBody<Record, Body>>,
    options: SchemaOptions<Body, Record> & Needed,
  ): BatchProcessor;
  /**
   * With a `source`, whose records the handler gets.
   *
   * @typeParam Record The kind of record that the source delivers.
   * @param recordHandler Does the work of one record.
   * @param options The `source`, and what else is to be different from the defaults.
   */
  <Record extends BatchRecord>(
    recordHandler: RecordHandler<Record['body'], Record>,
    options: SourceOptions<Record> & Needed,
  ): BatchProcessor;
  /**
   * For records of any source, with bodies that the caller names the type of.
   *
   * @typeParam Body The type of the record's body, which nothing checks.
   * @param recordHandler Does the work of one record.
   * @param options What is to be different from the defaults.
   */
  <Body = unknown>(recordHandler: RecordHandler<Body>, ...options: Given<Body, Needed>): BatchProcessor;
}

/**
 * Makes a processor from a handler of many records.
 *
 * @typeParam Needed Options that have no default.
 */
export interface BatchMaker<Needed = unknown> {
  /**
   * With a `schema`, whose output is the body.
   *
   * @typeParam Body The schema's output.
   * @typeParam Record The kind of record that the source delivers.
   * @param batchHandler Does the work of many records.
   * @param options The `schema`, and what else is to be different from the defaults.
   */
  <Body, Record extends BatchRecord = BatchRecord>(
    batchHandler: BatchHandler<Body, WithBody<Record, Body>>,
    options: SchemaOptions<Body, Record> & Needed,
  ): BatchProcessor;
  /**
   * With a `source`, whose records the handler gets.
   *
   * @typeParam Record The kind of record that the source delivers.
   * @param batchHandler Does the work of many records.
   * @param options The `source`, and what else is to be different from the defaults.
   */
  <Record extends BatchRecord>(
    batchHandler: BatchHandler<Record['body'], Record>,
    options: SourceOptions<Record> & Needed,
  ): BatchProcessor;
  /**
   * For records of any source, with bodies that the caller names the type of.
   *
   * @typeParam Body The type of the record's body, which nothing checks.
   * @param batchHandler Does the work of many records.
   * @param options What is to be different from the defaults.
   */
  <Body = unknown>(batchHandler: BatchHandler<Body>, ...options: Given<Body, Needed>): BatchProcessor;
}

/** The options may be left out where none is needed. */
type Given<Body, Needed> = unknown extends Needed
  ? [options?: BatchProcessorOptions<Body>]
  : [options: BatchProcessorOptions<Body> & Needed];
