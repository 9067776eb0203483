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
import type { Routes } from '../routes/routes.ts';
import type { BatchResponse, KafkaBatchResponse } from '../sources/answers.ts';
import type { BatchRecord, WithBody } from '../sources/record.ts';
import type { Source } from '../sources/source.ts';

/**
 * A Lambda handler. It returns a partial response for batches of queues and streams and lists of EventBridge
 * Pipes. For events delivered directly (EventBridge, a custom event bus, SNS, S3), it returns nothing or
 * rejects.
 */
export interface BatchProcessor {
  /**
   * Processes a batch of a queue or a stream.
   *
   * @param event The event from Lambda.
   * @param context The context from Lambda, which tells the remaining time.
   */
  (event: SQSEvent | KinesisStreamEvent | DynamoDBStreamEvent, context?: Context): Promise<BatchResponse>;
  /**
   * Processes a batch of Kafka.
   *
   * @param event The event from Lambda.
   * @param context The context from Lambda, which tells the remaining time.
   */
  (event: MSKEvent | SelfManagedKafkaEvent, context?: Context): Promise<KafkaBatchResponse>;
  /**
   * Processes a list of EventBridge Pipes, or of a custom event bus, which gets no response.
   *
   * @param event The event from Lambda.
   * @param context The context from Lambda, which tells the remaining time.
   */
  (event: readonly object[], context?: Context): Promise<BatchResponse | undefined>;
  /**
   * Processes an event that is delivered directly; rejects if it has to be delivered again.
   *
   * @param event The event from Lambda.
   * @param context The context from Lambda, which tells the remaining time.
   */
  (event: EventBridgeEvent<string, unknown> | SNSEvent | S3Event, context?: Context): Promise<undefined>;
  /**
   * Processes any of these events. Rejects with `UnsupportedEventError` if no source reads the event.
   *
   * @param event The event from Lambda.
   * @param context The context from Lambda, which tells the remaining time.
   */
  (event: unknown, context?: Context): Promise<BatchResponse | KafkaBatchResponse | undefined>;
}

/**
 * Options of a processor. Types that one option sets for the records apply to all options and the handler.
 *
 * @typeParam Sent The type of the body as it is sent, from which keys are made.
 * @typeParam Body The type of the body that the handler gets: the schema's output, or the body as sent.
 * @typeParam Kind The kind of record that the source delivers.
 * @typeParam Record The record that the handler gets.
 */
export interface ProcessorOptions<
  Sent = unknown,
  Body = Sent,
  Kind extends BatchRecord = BatchRecord,
  Record extends BatchRecord = HandledRecord<Body, Kind>,
> extends Omit<BatchProcessorOptions<SentBody<Sent, Body, Record>>, 'schema' | 'source'> {
  /** Checks bodies and sets their type: `standardSchema(…)` of zod, valibot or arktype. Default: off. */
  readonly schema?: SchemaPolicy<Body> & SchemaPolicy<Uninferred<Record>['body']>;
  /**
   * The service that invokes the function, such as `sqs()`. It sets the type of the handler's record, and
   * leaves other sources out of the bundle. An event of another service rejects with `UnsupportedEventError`.
   * Default: `allSources()`.
   */
  readonly source?: Source<Kind> & Source<Uninferred<WithBody<Record, unknown>>>;
}

/**
 * The record that the handler gets, with the body type of the source, the schema or the caller. The source
 * comes first, because in a generic function `Body` is not known yet.
 */
type HandledRecord<Body, Kind extends BatchRecord> = unknown extends Kind['body']
  ? WithBody<Kind, Body>
  : unknown extends Body
    ? Kind
    : WithBody<Kind, Body>;

/** The body as sent: the handler's, unless a schema changes it. */
type SentBody<Sent, Body, Record extends BatchRecord> = unknown extends Body ? Record['body'] : Sent;

/**
 * The type of a function that creates a processor from a record handler.
 *
 * @typeParam Needed Options that have no default.
 */
export interface RecordMaker<Needed = unknown> {
  /**
   * Creates a processor with a handler for each type of message.
   *
   * @param routes The handlers, by `routes()`.
   * @param options The options that differ from the defaults. `key` is for the types without one.
   */
  (routes: Routes<'records'>, ...options: Given<RoutedOptions, Needed>): BatchProcessor;
  /**
   * Creates a processor. The handler's record is of the `source`, with the output of the `schema` as its
   * body. Without them, it is of any source, with the body type that the caller names.
   *
   * @typeParam Sent The type of the body as it is sent, which is not checked.
   * @typeParam Body The schema's output.
   * @typeParam Kind The kind of record that the source delivers.
   * @typeParam Record The record that the handler gets.
   * @param recordHandler Processes one record.
   * @param options The options that differ from the defaults.
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
 * The type of a function that creates a processor from a batch handler.
 *
 * @typeParam Needed Options that have no default.
 */
export interface BatchMaker<Needed = unknown> {
  /**
   * Creates a processor with a batch handler for each type of message. Each call gets records of one type.
   *
   * @param routes The handlers, by `routes()`.
   * @param options The options that differ from the defaults. `key` is for the types without one.
   */
  (routes: Routes<'batches'>, ...options: Given<RoutedOptions, Needed>): BatchProcessor;
  /**
   * Creates a processor, with the same types as for a record handler.
   *
   * @typeParam Sent The type of the body as it is sent, which is not checked.
   * @typeParam Body The schema's output.
   * @typeParam Kind The kind of record that the source delivers.
   * @typeParam Record The record that the handler gets.
   * @param batchHandler Processes many records.
   * @param options The options that differ from the defaults.
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

/** Options of a processor with `routes()`. */
export interface RoutedOptions extends Omit<BatchProcessorOptions, 'schema'> {
  /** Absent: the types of message have the schemas. Default: none. */
  readonly schema?: never;
}

/** The arguments for options, which are optional if none is required. */
type Given<Options, Needed> = unknown extends Needed ? [options?: Options] : [options: Options & Needed];
