import { systemClock } from '../base/clock.ts';
import { checkOptionsOf } from '../options/check-options.ts';
import { sdkSend } from './sdk-send.ts';
import { type WorkerOptions, workerChecks } from './options.ts';
import { QueueWorker } from './queue-worker.ts';
import { sendFromEnvironment } from './send-from-environment.ts';
import { stopAtSignals } from './signals.ts';
import { sqsQueue } from './sqs-queue.ts';
import type { Worker } from './worker.ts';

/**
 * Runs a Lambda handler on an SQS queue in a long-lived process. The handler gets messages as Lambda's
 * records, one call for each message or for the messages of a FIFO group. Messages that its answer does not
 * name as failed are deleted. Throws a `ConfigurationError` for invalid options.
 *
 * @param options The queue, the handler, and the limits.
 *
 * @example
 * const worker = createWorker({
 *   queueUrl,
 *   handler: createBatchProcessor(chargeOrder),
 *   stopOn: ['SIGTERM', 'SIGINT'],
 * });
 * await worker.start();
 */
export function createWorker(options: WorkerOptions): Worker {
  checkOptionsOf('createWorker', options, workerChecks);
  const { queueUrl, client, clock = systemClock, stopOn = [] } = options;
  const send =
    client === undefined
      ? sendFromEnvironment(queueUrl, { clock, random: Math.random })
      : sdkSend(client, clock);
  const worker = new QueueWorker(options, sqsQueue(send, queueUrl));
  if (stopOn.length > 0) stopAtSignals(worker, stopOn, process);
  return worker;
}
