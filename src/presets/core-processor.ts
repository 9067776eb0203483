import { takingBatches } from '../attempts/host.ts';
import type { BatchHandler } from '../batch/batch-handler.ts';
import type { BatchProcessorOptions } from '../batch/options.ts';
import type { Handler } from '../batch/run.ts';
import type { RoutingPolicy } from '../batch/context.ts';
import type { RecordHandler } from '../batch/record-handler.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { ConfigurationError } from '../base/errors.ts';
import { gathered, gatherFor } from '../around/gathering.ts';
import { assertHandler, makeProcessor } from './make-processor.ts';
import type { BatchMaker, BatchProcessor, RecordMaker } from './processor-types.ts';

/** The options without a default in `batchlatch/core`. */
export interface CoreOptions {
  /** The claim store: `dynamoDBStore({ tableName })` of `batchlatch/dynamodb`. */
  readonly store: ClaimStore;
}

/**
 * Creates a Lambda handler as in `batchlatch`, without the defaults that would be in every bundle: `store`
 * and `source` are required, and nothing is logged without an `observer`.
 *
 * @example
 * import { createBatchProcessor, payloadHash, sqs } from 'batchlatch/core';
 * import { dynamoDBStore } from 'batchlatch/dynamodb';
 *
 * export const handler = createBatchProcessor(chargeOrder, {
 *   source: sqs<Order>(),
 *   store: dynamoDBStore({ tableName: 'claims' }),
 *   key: payloadHash({ include: ['orderId'] }),
 * });
 */
export const createBatchProcessor = ((
  recordHandler: RecordHandler | RoutingPolicy,
  options: BatchProcessorOptions,
) => {
  assertHandler('record handler', recordHandler);
  return processorOf(recordHandler, options, 10);
}) as RecordMaker<CoreOptions>;

/** Creates a Lambda handler from a batch handler, like `createBatchProcessor.forBatches`. */
export const forBatches = ((batchHandler: BatchHandler | RoutingPolicy, options: BatchProcessorOptions) => {
  assertHandler('batch handler', batchHandler);
  const handler =
    typeof batchHandler === 'function' ? gathered(batchHandler) : batchHandler.inBatches(gatherFor);
  return takingBatches(processorOf(handler, options, Infinity));
}) as BatchMaker<CoreOptions>;

const SILENT = { onEvent: () => undefined, wants: () => false };

function processorOf(handler: Handler, options: BatchProcessorOptions, concurrency: number): BatchProcessor {
  const make = makeProcessor(handler, options, { concurrency, observer: () => SILENT });
  if (options.store !== undefined) return make(options.store);
  throw new ConfigurationError(
    'Expected `store` to be a claim store, such as dynamoDBStore({ tableName }), got nothing',
  );
}
