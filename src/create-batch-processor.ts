import { randomUUID } from 'node:crypto';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type {
  Context,
  DynamoDBStreamEvent,
  EventBridgeEvent,
  KinesisStreamEvent,
  S3Event,
  SNSEvent,
  SQSEvent,
} from 'aws-lambda';
import { type BatchProcessorOptions, type Defaults, resolveOptions } from './batch/options.ts';
import type { BatchHandler } from './batch/batch-handler.ts';
import type { Handler } from './batch/invocation.ts';
import { createProcessor } from './batch/processor.ts';
import type { RecordHandler } from './batch/record-handler.ts';
import type { ClaimStore } from './claims/claim-store.ts';
import { systemClock } from './claims/clock.ts';
import { ConfigurationError } from './claims/errors.ts';
import { storeWith } from './claims/store-with.ts';
import { jsonLines } from './observe/json-lines.ts';
import { allSources } from './sources/all-sources.ts';
import type { BatchResponse } from './sources/answers.ts';
import { fromEnvironmentStore } from './stores/dynamodb/store-from-environment.ts';

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
type SchemaOptions<Schema extends StandardSchemaV1> = Omit<BatchProcessorOptions, 'schema'> & {
  readonly schema: Schema;
};

interface CreateBatchProcessor {
  <Schema extends StandardSchemaV1>(
    recordHandler: RecordHandler<StandardSchemaV1.InferOutput<Schema>>,
    options: SchemaOptions<Schema>,
  ): BatchProcessor;
  <Body = unknown>(recordHandler: RecordHandler<Body>, options?: BatchProcessorOptions<Body>): BatchProcessor;

  /**
   * The same for a handler that does the work of many records at once, such as a bulk insert: it gets all records
   * that could be claimed in one call, and answers for each of them (`BatchHandler`). `concurrency` is then the
   * most records in one call. Default: no bound.
   *
   * @example
   * export const handler = createBatchProcessor.forBatches<Order>(async (items) => {
   *   await insertAll(items.map(({ record }) => record.body));
   * });
   */
  forBatches<Schema extends StandardSchemaV1>(
    batchHandler: BatchHandler<StandardSchemaV1.InferOutput<Schema>>,
    options: SchemaOptions<Schema>,
  ): BatchProcessor;
  forBatches<Body = unknown>(
    batchHandler: BatchHandler<Body>,
    options?: BatchProcessorOptions<Body>,
  ): BatchProcessor;
}

/**
 * Makes a Lambda handler that runs each record of a batch concurrently through an idempotency claim of its
 * own, and reports only the records that have to be delivered again.
 *
 * Throws a `ConfigurationError` at start for an option that is unknown or impossible, and in Lambda when there is
 * neither a `store` nor `CLAIMS_TABLE_NAME`; outside of Lambda, where a test may import the handler before it sets the
 * environment up, the first batch rejects with it. An event of an unknown kind is an `UnsupportedEventError`.
 *
 * With a `schema`, the body that the handler gets is its output, and is typed by it.
 *
 * @example
 * export const handler = createBatchProcessor<Order>(async ({ body }, { idempotencyKey, signal }) => {
 *   await charge(body, { idempotencyKey, signal });
 * });
 */
export const createBatchProcessor: CreateBatchProcessor = Object.assign(forRecords, {
  forBatches,
});

function forRecords<Body>(
  recordHandler: RecordHandler<Body>,
  options: BatchProcessorOptions<Body> = {},
): BatchProcessor {
  assertFunction('record handler', recordHandler);
  // What a body is, is the sender's word; the type parameter is the user's word for it.
  return processorOf({ record: recordHandler as RecordHandler }, options);
}

function forBatches<Body>(
  batchHandler: BatchHandler<Body>,
  options: BatchProcessorOptions<Body> = {},
): BatchProcessor {
  assertFunction('batch handler', batchHandler);
  return processorOf({ batch: batchHandler as BatchHandler }, options, { concurrency: Infinity });
}

function processorOf<Body>(
  handler: Handler,
  options: BatchProcessorOptions<Body>,
  defaults: Pick<Defaults, 'concurrency'> = {},
): BatchProcessor {
  const { AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL } = process.env;
  const sqsEndpoint = AWS_ENDPOINT_URL_SQS || AWS_ENDPOINT_URL || undefined;
  const settings = resolveOptions(options, { ...defaults, source: allSources(), sqsEndpoint });
  const clock = options.clock ?? systemClock;
  const observer = options.observer ?? jsonLines();
  const functionName = process.env['AWS_LAMBDA_FUNCTION_NAME'];
  const processorOn = (store: ClaimStore): BatchProcessor => {
    const ports = {
      store: storeWith(store, options, clock),
      clock,
      observer,
      sqs: options.sqs,
      random: Math.random,
      newOwner: randomUUID,
    };
    return createProcessor(handler, settings, ports, functionName, store) as BatchProcessor;
  };
  if (options.store !== undefined) return processorOn(options.store);
  const processor = fromEnvironmentStore(processorOn);
  // Without a table the batch rejects as a whole: a store that fails would let records run where `onStoreError` says so.
  return (async (event: unknown, context?: Context) => processor()(event, context)) as BatchProcessor;
}

function assertFunction(what: string, handler: unknown): void {
  if (typeof handler !== 'function') {
    throw new ConfigurationError(`Expected the ${what} to be a function, got ${typeof handler}`);
  }
}
