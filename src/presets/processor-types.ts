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
import type { SchemaPolicy } from '../batch/context.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import type { Uninferred } from '../options/uninferred.ts';
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

/**
 * Options of a processor: what each says of the records is what the others, and the handler, see of them.
 *
 * @typeParam Sent The type of the body that is sent, by which keys are made.
 * @typeParam Body The type of the body that the handler gets: the schema's output, or what is sent.
 * @typeParam Kind The kind of record that the source delivers.
 * @typeParam Record The record that the handler gets.
 */
export interface ProcessorOptions<
  Sent = unknown,
  Body = Sent,
  Kind extends BatchRecord = BatchRecord,
  Record extends BatchRecord = HandledRecord<Body, Kind>,
> extends Omit<BatchProcessorOptions<SentBody<Sent, Body, Record>>, 'schema' | 'source'> {
  /** Checks bodies, and gives them their type: `standardSchema(…)` of a zod, valibot or arktype schema. Default: off. */
  readonly schema?: SchemaPolicy<Body> & SchemaPolicy<Uninferred<Record>['body']>;
  /**
   * Which service invokes the function, such as `sqs()`. It gives the handler's record its type, and keeps the others out
   * of the bundle; an event of another service is an `UnsupportedEventError`. Default: `allSources()`.
   */
  readonly source?: Source<Kind> & Source<Uninferred<WithBody<Record, unknown>>>;
}

/**
 * A record of a source with the body that a schema or the caller says, or with the source's own. The source is asked first, because
 * in a generic function that makes processors nothing is known of `Body` yet.
 */
type HandledRecord<Body, Kind extends BatchRecord> = unknown extends Kind['body']
  ? WithBody<Kind, Body>
  : unknown extends Body
    ? Kind
    : WithBody<Kind, Body>;

/** What is sent is what the handler gets, unless a schema makes something else of it. */
type SentBody<Sent, Body, Record extends BatchRecord> = unknown extends Body ? Record['body'] : Sent;

/**
 * Makes a processor from a handler of single records.
 *
 * @typeParam Needed Options that have no default.
 */
export interface RecordMaker<Needed = unknown> {
  /**
   * The handler's record is what the `source` delivers, with the output of the `schema` as its body. Without them it is a
   * record of any source, with a body that the caller names the type of.
   *
   * @typeParam Sent The type of the record's body as it is sent, which nothing checks.
   * @typeParam Body The schema's output.
   * @typeParam Kind The kind of record that the source delivers.
   * @typeParam Record The record that the handler gets.
   * @param recordHandler Does the work of one record.
   * @param options What is to be different from the defaults.
   */
  <
    Sent = unknown,
    Body = Sent,
    Kind extends BatchRecord = BatchRecord,
    Record extends BatchRecord = HandledRecord<Body, Kind>,
  >(
    recordHandler: RecordHandler<Record['body'], Record>,
    ...options: Given<ProcessorOptions<Sent, Body, Kind, Record>, Needed>
  ): BatchProcessor;
}

/**
 * Makes a processor from a handler of many records.
 *
 * @typeParam Needed Options that have no default.
 */
export interface BatchMaker<Needed = unknown> {
  /**
   * The same types as of a handler of single records.
   *
   * @typeParam Sent The type of the record's body as it is sent, which nothing checks.
   * @typeParam Body The schema's output.
   * @typeParam Kind The kind of record that the source delivers.
   * @typeParam Record The record that the handler gets.
   * @param batchHandler Does the work of many records.
   * @param options What is to be different from the defaults.
   */
  <
    Sent = unknown,
    Body = Sent,
    Kind extends BatchRecord = BatchRecord,
    Record extends BatchRecord = HandledRecord<Body, Kind>,
  >(
    batchHandler: BatchHandler<Record['body'], Record>,
    ...options: Given<ProcessorOptions<Sent, Body, Kind, Record>, Needed>
  ): BatchProcessor;
}

/** The options may be left out where none is needed. */
type Given<Options, Needed> = unknown extends Needed ? [options?: Options] : [options: Options & Needed];
