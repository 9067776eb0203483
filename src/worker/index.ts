/**
 * Runs the handler of an SQS queue outside Lambda: receives, extends visibility, deletes, and stops
 * gracefully. It needs only the queue's URL. `@aws-sdk/client-sqs` is used where direct requests are not
 * possible.
 *
 * @module batchlatch/worker
 */
export { createWorker } from './create-worker.ts';
export type {
  ProcessHealth,
  Worker,
  WorkerCounters,
  WorkerEvents,
  WorkerHealth,
  WorkerState,
} from './worker.ts';
export type { SqsHandler, WorkerOptions } from './options.ts';
export type { WorkerSqsClient } from './sdk-send.ts';
export type { CommandClient } from '../options/command-client.ts';
export { type HealthOptions, type HealthServer, startHealthServer } from './health.ts';
export type { Rate } from './rate-limits.ts';
export type { StopSignalName } from './signals.ts';
export type { BatchOptions } from './options.ts';
export type { Adaptive } from './adaptive-limit.ts';
export type { Dependency } from './dependencies.ts';
