import { randomUUID } from 'node:crypto';
import type { Context, EventBridgeEvent, SQSEvent } from 'aws-lambda';
import { type BatchProcessorOptions, type Defaults, resolveOptions } from './batch/options.ts';
import type { BatchHandler } from './batch/batch-handler.ts';
import type { Handler } from './batch/invocation.ts';
import { createProcessor } from './batch/processor.ts';
import type { RecordHandler } from './batch/record-handler.ts';
import type { BatchResponse } from './batch/response.ts';
import type { ClaimStore } from './claims/claim-store.ts';
import { type Clock, systemClock } from './claims/clock.ts';
import { withCompletionCache } from './claims/completion-cache.ts';
import { ConfigurationError } from './claims/errors.ts';
import { withResultStorage } from './claims/result-storage.ts';
import { jsonLines } from './observe/json-lines.ts';
import { dynamoDBStore } from './stores/dynamodb/dynamodb-store.ts';

/** A Lambda handler. SQS batches get a partial response; a direct EventBridge event gets nothing, or a rejection. */
export interface BatchProcessor {
  (event: SQSEvent, context?: Context): Promise<BatchResponse>;
  (event: EventBridgeEvent<string, unknown>, context?: Context): Promise<undefined>;
  (event: unknown, context?: Context): Promise<BatchResponse | undefined>;
}

/**
 * Makes a Lambda handler that runs each record of a batch concurrently through an idempotency claim of its
 * own, and reports only the records that have to be delivered again.
 *
 * Throws a `ConfigurationError` at start for an option that is unknown or impossible, and when there is
 * neither a `store` nor `CLAIMS_TABLE_NAME`. An event of an unknown kind is an `UnsupportedEventError`.
 *
 * @example
 * export const handler = createBatchProcessor<Order>(async ({ body }, { idempotencyKey, signal }) => {
 *   await charge(body, { idempotencyKey, signal });
 * });
 */
export function createBatchProcessor<Body = unknown>(
  recordHandler: RecordHandler<Body>,
  options: BatchProcessorOptions<Body> = {},
): BatchProcessor {
  assertFunction('record handler', recordHandler);
  // What a body is, is the sender's word; the type parameter is the user's word for it.
  return processorOf({ record: recordHandler as RecordHandler }, options);
}

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
createBatchProcessor.forBatches = function forBatches<Body = unknown>(
  batchHandler: BatchHandler<Body>,
  options: BatchProcessorOptions<Body> = {},
): BatchProcessor {
  assertFunction('batch handler', batchHandler);
  return processorOf({ batch: batchHandler as BatchHandler }, options, { concurrency: Infinity });
};

function processorOf<Body>(
  handler: Handler,
  options: BatchProcessorOptions<Body>,
  defaults: Pick<Defaults, 'concurrency'> = {},
): BatchProcessor {
  const { AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL } = process.env;
  const sqsEndpoint = AWS_ENDPOINT_URL_SQS || AWS_ENDPOINT_URL || undefined;
  const settings = resolveOptions(options, { ...defaults, sqsEndpoint });
  const clock = options.clock ?? systemClock;
  const ports = {
    store: storeOf(options, clock),
    clock,
    observer: options.observer ?? jsonLines(),
    sqs: options.sqs,
    random: Math.random,
    newOwner: randomUUID,
  };
  const functionName = process.env['AWS_LAMBDA_FUNCTION_NAME'];
  return createProcessor(handler, settings, ports, functionName) as BatchProcessor;
}

/** The store, behind what the options put before it: the cache holds pointers to long results, not the results. */
function storeOf(
  { store: given, cache, resultStorage }: Pick<BatchProcessorOptions, 'store' | 'cache' | 'resultStorage'>,
  clock: Clock,
): ClaimStore {
  const store = given ?? dynamoDBStoreFromEnvironment();
  const cached = cache === undefined ? store : withCompletionCache(store, { ...cache, clock });
  return resultStorage === undefined ? cached : withResultStorage(cached, resultStorage);
}

function assertFunction(what: string, handler: unknown): void {
  if (typeof handler !== 'function') {
    throw new ConfigurationError(`Expected the ${what} to be a function, got ${typeof handler}`);
  }
}

function dynamoDBStoreFromEnvironment(): ClaimStore {
  const tableName = process.env['CLAIMS_TABLE_NAME'] ?? '';
  if (tableName === '') {
    throw new ConfigurationError(
      'There is nowhere to keep claims: set CLAIMS_TABLE_NAME to the claims table (template.yaml does), or pass `store`',
    );
  }
  return dynamoDBStore({ tableName });
}
