import type { Context, SQSEvent } from 'aws-lambda';
import type { Clock } from '../base/clock.ts';
import {
  aFunction,
  aListOf,
  aString,
  anInteger,
  type Check,
  members,
  objectWith,
  required,
} from '../options/check-options.ts';
import { aClientWith, type CommandClient } from '../options/command-client.ts';
import { flowChecks, type FlowOptions } from './flow-options.ts';
import type { HealthOptions } from './health.ts';
import { WORKER_OPERATIONS, type WorkerSqsClient } from './sdk-send.ts';
import { isStopSignal, STOP_SIGNALS, type StopSignalName } from './signals.ts';

/**
 * A Lambda handler for SQS, as `createBatchProcessor` makes one.
 *
 * @param event As Lambda would give it.
 * @param context As Lambda would give it.
 */
export type SqsHandler = (event: SQSEvent, context: Context) => Promise<unknown>;

/** Options of `createWorker()`. */
export interface WorkerOptions extends FlowOptions {
  /** The queue; one whose name ends with `.fifo` is worked in the order of its groups. */
  readonly queueUrl: string;
  /** What `createBatchProcessor` returned, or any Lambda handler for SQS that answers with `batchItemFailures`. */
  readonly handler: SqsHandler;
  /**
   * `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`. Default: requests without it, for the
   * credentials that AWS's SDK would find.
   */
  readonly client?: WorkerSqsClient | CommandClient;
  /**
   * The function name that handlers see, and the namespace of their keys where they have none of their own: give it the name of
   * the Lambda function whose claims this worker shares. Default: the queue's name.
   */
  readonly name?: string;
  /** Tells on HTTP how the worker is: `/live`, `/ready`, `/metrics` (Prometheus), `/` (JSON). Default: nothing listens. */
  readonly health?: HealthOptions;
  /** How long a stop may take, in milliseconds, before what still runs is handed back. Default 25,000. */
  readonly shutdownTimeoutMs?: number;
  /**
   * Signals of the process that stop the worker, from `start()` until it has stopped: the first stops it, the next ends the process at
   * once. Such as `['SIGTERM', 'SIGINT']`. Default: none.
   */
  readonly stopOn?: readonly StopSignalName[];
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** What the options may be. */
export const workerChecks: Readonly<Record<keyof WorkerOptions, Check>> = {
  queueUrl: required(aQueueUrl()),
  handler: required(aFunction()),
  client: aClientWith(...WORKER_OPERATIONS),
  name: aString(),
  ...flowChecks,
  health: members({ port: required(anInteger(0, 65_535)), host: aString() }),
  shutdownTimeoutMs: anInteger(0),
  stopOn: aListOf(`a list of ${STOP_SIGNALS.map((name) => `'${name}'`).join(', ')}`, isStopSignal),
  clock: objectWith('now', 'setTimer'),
};

/** The end of the URL says whether the queue is a FIFO queue. */
function aQueueUrl(): Check {
  return {
    expected: "a queue's URL, which ends with the queue's name",
    accepts: (value) =>
      typeof value === 'string' && URL.canParse(value) && /\/[\w-]{1,80}(?:\.fifo)?$/.test(value),
  };
}
