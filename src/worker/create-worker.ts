import { checkOptionsOf } from '../options/check-options-of.ts';
import { type WorkerOptions, workerChecks } from './options.ts';
import { QueueWorker } from './queue-worker.ts';
import { sdkSend } from './sdk-send.ts';
import { sqsQueue } from './sqs-queue.ts';
import type { Worker } from './worker.ts';

/**
 * Works a queue with a Lambda handler, in a process of one's own. Messages reach the handler as Lambda's records, one call for
 * each message, or for the messages of a FIFO group; what the answer does not name as failed is deleted. Throws a
 * `ConfigurationError` for options that cannot work.
 *
 * @example
 * const worker = createWorker({ queueUrl, handler, client: new SQS() });
 * await worker.start();
 * process.once('SIGTERM', () => worker.stop());
 */
export function createWorker(options: WorkerOptions): Worker {
  checkOptionsOf('createWorker', options, workerChecks);
  return new QueueWorker(options, sqsQueue(sdkSend(options.client), options.queueUrl));
}
