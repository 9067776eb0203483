import { createBatchProcessor, type ClaimStore, type Observer } from 'batchlatch';
import type { Order } from '../workload.ts';
import type { BatchHandler, ContenderSetup } from './contender.ts';

/** Records at once, for batches of any size. The default is 10. */
export const CONCURRENCY = 100;

/** Without a line of log. */
export const SILENT: Observer = { onEvent: () => undefined };

/** With its defaults, on any store; without an observer, with its default JSON lines on standard output. */
export function processor({ handler }: ContenderSetup, store: ClaimStore, observer?: Observer): BatchHandler {
  return createBatchProcessor<Order>(({ body }) => handler(body), {
    store,
    concurrency: CONCURRENCY,
    ...(observer !== undefined && { observer }),
  });
}
