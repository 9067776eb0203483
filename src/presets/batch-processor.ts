import type { Context } from 'aws-lambda';
import { takingBatches } from '../attempts/host.ts';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { BatchProcessorOptions } from '../batch/options.ts';
import type { Handler } from '../batch/run.ts';
import type { RoutingPolicy } from '../batch/context.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import { assertHandler, makeProcessor } from './make-processor.ts';
import { jsonLines } from '../observe/json-lines.ts';
import { gathered, gatherFor } from '../around/gathering.ts';
import type { BatchProcessor, BatchMaker, RecordMaker } from './processor-types.ts';
import { allSources } from '../sources/all-sources.ts';
import { fromEnvironmentStore } from '../stores/dynamodb/dynamodb-store.ts';

/** The type of `createBatchProcessor`: takes a record handler, and with `forBatches` a batch handler. */
export interface CreateBatchProcessor extends RecordMaker {
  /**
   * Creates a Lambda handler from a batch handler, which processes many records in one call, such as a bulk
   * insert. It gets all records that could be claimed and may return a result for each (`BatchHandler`).
   * `concurrency` is then the most records in one call. Default: no limit.
   *
   * @example
   * export const handler = createBatchProcessor.forBatches<Order>(async (items) => {
   *   await insertAll(items.map(({ record }) => record.body));
   * });
   */
  readonly forBatches: BatchMaker;
}

/**
 * Creates a Lambda handler that runs each record of a batch concurrently, under its own idempotency claim,
 * and reports only the records to deliver again.
 *
 * Throws a `ConfigurationError` at start for invalid options, and in Lambda if there is neither a `store` nor
 * `CLAIMS_TABLE_NAME`. Outside Lambda, the first batch rejects with it, because a test may import the handler
 * before it sets up the environment. Under `NODE_ENV=test`, a batch with neither a `store` nor an endpoint
 * rejects (`BATCHLATCH_DEFAULT_STORE_IN_TESTS`), so that no unit test writes to AWS. An unknown event rejects
 * with `UnsupportedEventError`.
 *
 * A `schema` gives the handler its output as the body, with its type. A `source` sets the type of the record:
 * `source: kinesis<Order>()` makes it a `KinesisBatchRecord<Order>`.
 *
 * @example
 * export const handler = createBatchProcessor<Order>(async ({ body }, { idempotencyKey, signal }) => {
 *   await payments.charge(body, { idempotencyKey, signal });
 * });
 */
export const createBatchProcessor: CreateBatchProcessor = Object.assign(forRecords as RecordMaker, {
  forBatches: forBatches,
});

function forRecords(
  recordHandler: RecordHandler | RoutingPolicy,
  options: BatchProcessorOptions = {},
): BatchProcessor {
  assertHandler('record handler', recordHandler);
  return processorOf(recordHandler, options, 10);
}

function forBatches(
  batchHandler: BatchHandler | RoutingPolicy,
  options: BatchProcessorOptions = {},
): BatchProcessor {
  assertHandler('batch handler', batchHandler);
  const handler =
    typeof batchHandler === 'function' ? gathered(batchHandler) : batchHandler.inBatches(gatherFor);
  return takingBatches(processorOf(handler, options, Infinity));
}

function processorOf(handler: Handler, options: BatchProcessorOptions, concurrency: number): BatchProcessor {
  const make = makeProcessor(handler, options, {
    concurrency,
    source: allSources(),
    observer: jsonLines,
  });
  if (options.store !== undefined) return make(options.store);
  const processor = fromEnvironmentStore(make);
  // Without a table the whole batch rejects; with a failing store, `onStoreError` would run its records.
  return (async (event: unknown, context?: Context) => processor()(event, context)) as BatchProcessor;
}
