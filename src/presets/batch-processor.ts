import type { Context } from 'aws-lambda';
import { takingBatches } from '../attempts/host.ts';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { BatchProcessorOptions } from '../batch/options.ts';
import type { Handler } from '../batch/run.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import { assertFunction } from '../options/check-options.ts';
import { advice } from '../options/advice.ts';
import { makeProcessor } from './make-processor.ts';
import { jsonLines } from '../observe/json-lines.ts';
import { gathered } from '../around/gathering.ts';
import type { BatchProcessor, BatchMaker, RecordMaker } from './processor-types.ts';
import { allSources } from '../sources/all-sources.ts';
import { fromEnvironmentStore } from '../stores/dynamodb/dynamodb-store.ts';

/** `createBatchProcessor` of `batchlatch`: for handlers of single records, and with `forBatches` for those of many. */
export interface CreateBatchProcessor extends RecordMaker {
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
  readonly forBatches: BatchMaker;
}

/**
 * Makes a Lambda handler that runs each record of a batch concurrently through an idempotency claim of its
 * own, and reports only the records that have to be delivered again.
 *
 * Throws a `ConfigurationError` at start for an option that is unknown or impossible, and in Lambda when
 * there is neither a `store` nor `CLAIMS_TABLE_NAME`; outside of Lambda, where a test may import the handler
 * before it sets the environment up, the first batch rejects with it. Under `NODE_ENV=test` a batch also
 * rejects without a `store` and an endpoint (`BATCHLATCH_DEFAULT_STORE_IN_TESTS`), so that no unit test
 * writes to AWS. An event of an unknown kind is an `UnsupportedEventError`.
 *
 * With a `schema`, the body that the handler gets is its output, and is typed by it; with a `source`, its
 * record is that source's: `source: kinesis<Order>()` makes it a `KinesisBatchRecord<Order>`.
 *
 * @example
 * export const handler = createBatchProcessor<Order>(async ({ body }, { idempotencyKey, signal }) => {
 *   await payments.charge(body, { idempotencyKey, signal });
 * });
 */
export const createBatchProcessor: CreateBatchProcessor = Object.assign(forRecords as RecordMaker, {
  forBatches: forBatches as BatchMaker,
});

function forRecords(recordHandler: RecordHandler, options: BatchProcessorOptions = {}): BatchProcessor {
  assertFunction('record handler', recordHandler);
  return processorOf(recordHandler, options, 10);
}

function forBatches(batchHandler: BatchHandler, options: BatchProcessorOptions = {}): BatchProcessor {
  assertFunction('batch handler', batchHandler);
  return takingBatches(processorOf(gathered(batchHandler), options, Infinity));
}

function processorOf(handler: Handler, options: BatchProcessorOptions, concurrency: number): BatchProcessor {
  const make = makeProcessor(handler, options, {
    concurrency,
    source: allSources(),
    observer: jsonLines,
    advice,
  });
  if (options.store !== undefined) return make(options.store);
  const processor = fromEnvironmentStore(make);
  // Without a table the batch rejects as a whole: a store that fails would let records run where `onStoreError` says so.
  return (async (event: unknown, context?: Context) => processor()(event, context)) as BatchProcessor;
}
