import {
  type BatchProcessor,
  type BatchProcessorOptions,
  createBatchProcessor,
  type RecordHandler,
} from 'batchlatch';
import { jsonLines } from 'batchlatch/observe';

/** What all functions of the shop have in common. The namespace keeps their claims apart in one table. */
export function createShopProcessor<Body>(
  namespace: string,
  handler: RecordHandler<Body>,
  options: BatchProcessorOptions<Body> = {},
): BatchProcessor {
  return createBatchProcessor<Body>(handler, {
    namespace,
    observer: jsonLines({ level: 'warn' }),
    ...options,
  });
}
