export {
  createWorker,
  type Worker,
  type WorkerCounters,
  type WorkerEvents,
  type WorkerState,
} from './worker.ts';
export type { SqsHandler, WorkerOptions } from './options.ts';
export type { WorkerSqsClient } from './sdk-queue.ts';
