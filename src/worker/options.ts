import type { Context, SQSEvent } from 'aws-lambda';
import type { Clock } from '../base/clock.ts';
import { ConfigurationError } from '../base/errors.ts';
import {
  aFunction,
  aListOf,
  anInteger,
  aString,
  type Check,
  either,
  members,
  objectWith,
  required,
} from '../options/check-options.ts';
import { aClientWith, type CommandClient } from '../options/command-client.ts';
import type { Adaptive } from './adaptive-limit.ts';
import { CLAIM_STORE, type Dependency } from './dependencies.ts';
import type { HealthOptions } from './health.ts';
import type { Rate } from './rate-limits.ts';
import { WORKER_OPERATIONS, type WorkerSqsClient } from './sdk-send.ts';
import { isStopSignal, STOP_SIGNALS, type StopSignalName } from './signals.ts';

/**
 * A Lambda handler for SQS, such as the one `createBatchProcessor` returns.
 *
 * @param event The event, as Lambda would pass it.
 * @param context The context, as Lambda would pass it.
 */
export type SqsHandler = (event: SQSEvent, context: Context) => Promise<unknown>;

/** Options of `createWorker()`. */
export interface WorkerOptions extends FlowOptions {
  /** The URL of the queue. A queue whose name ends with `.fifo` is processed in the order of its groups. */
  readonly queueUrl: string;
  /** The handler: of `createBatchProcessor`, or any that returns `batchItemFailures`. */
  readonly handler: SqsHandler;
  /**
   * `new SQS()` or `new SQSClient()` of `@aws-sdk/client-sqs`. Default: requests are sent without the SDK,
   * with the credentials that it would find.
   */
  readonly client?: WorkerSqsClient | CommandClient;
  /**
   * The function name in the handler's context, and the default namespace of its keys. Use the name of the
   * Lambda function whose claims this worker shares. Default: the queue's name.
   */
  readonly name?: string;
  /** Serves `/live`, `/ready`, `/metrics` (Prometheus) and `/` (JSON) on HTTP. Default: no server. */
  readonly health?: HealthOptions;
  /**
   * How long a stop may take, in milliseconds. Handlers are told to stop after 55 % of it. Default 25,000.
   */
  readonly shutdownTimeoutMs?: number;
  /**
   * The signals that stop the worker, such as `['SIGTERM', 'SIGINT']`. The first signal stops it, the next
   * one ends the process at once. Default: none.
   */
  readonly stopOn?: readonly StopSignalName[];
  /** Default: the machine's clock. */
  readonly clock?: Clock;
}

/** The size of the batches that the handler gets. */
export interface BatchOptions {
  /** The most messages in one call. */
  readonly size: number;
  /** How long the first message waits for others, in milliseconds from its receipt. Default 0. */
  readonly windowMs?: number;
}

/** The limits of how much a worker does at a time. */
export interface FlowOptions {
  /** The most messages in handlers at a time. Default 100. */
  readonly maxInFlight?: number;
  /**
   * The most messages of one `MessageGroupId` in handlers at a time, so that one tenant cannot take all
   * slots; the others wait. FIFO groups have 1. Default: no limit.
   */
  readonly concurrencyPerGroup?: number;
  /**
   * The number of messages in one call of the handler. Default: one, or the messages of one FIFO group from
   * one receive. For `createBatchProcessor.forBatches`: up to 10 that have been received.
   */
  readonly batch?: BatchOptions;
  /** The most concurrent receive requests. Default 4. */
  readonly receivers?: number;
  /**
   * How long a receive waits for messages, in seconds, 1 to 20. Default 20. A stop lets receives end, because
   * SQS hides messages that answer an aborted one, so on an empty queue it takes up to this time.
   */
  readonly waitTimeSeconds?: number;
  /** The most records that may start in a period, in all or for each key; all apply. Default: no limit. */
  readonly rate?: Rate | readonly Rate[];
  /** Services that handlers need. While one is down, the worker receives nothing. Default: none. */
  readonly dependencies?: readonly Dependency[];
  /** Adapts the concurrency to latencies and refusals. Default: `maxInFlight` is the limit. */
  readonly adaptive?: Adaptive;
}

/** The limits of Lambda's event source mappings for SQS. */
const MOST_IN_BATCH = 10_000;
const LONGEST_WINDOW_MS = 300_000;
const MOST_RECEIVERS = 1_000;
/** A standard queue has no more than 120,000 messages in flight. */
const MOST_IN_FLIGHT = 100_000;

const aRate = members({
  records: required(anInteger(1)),
  perMs: required(anInteger(1)),
  key: aFunction(),
});

const aName: Check = {
  expected: 'a name of up to 64 letters, digits, `_`, `-`, `.` and `:`',
  accepts: (value) => typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value),
};

const aTolerance: Check = {
  expected: 'a number above 1',
  accepts: (value) => typeof value === 'number' && value > 1 && Number.isFinite(value),
};

const aDependency = members({
  name: required(aName),
  isDown: required(aFunction()),
  check: aFunction(),
});

const listOf = ({ expected, accepts }: Check): Check =>
  aListOf(`a list, each of which is ${expected}`, accepts);

/** The checks of the options. */
export const workerChecks: Readonly<Record<keyof WorkerOptions, Check>> = {
  queueUrl: required(aQueueUrl()),
  handler: required(aFunction()),
  client: aClientWith(...WORKER_OPERATIONS),
  name: aString(),
  maxInFlight: anInteger(1, MOST_IN_FLIGHT),
  concurrencyPerGroup: anInteger(1),
  batch: members({ size: required(anInteger(1, MOST_IN_BATCH)), windowMs: anInteger(0, LONGEST_WINDOW_MS) }),
  receivers: anInteger(1, MOST_RECEIVERS),
  waitTimeSeconds: anInteger(1, 20),
  rate: either(aRate, listOf(aRate)),
  dependencies: listOf(aDependency),
  adaptive: members({
    floor: anInteger(1),
    ceiling: anInteger(1),
    tolerance: aTolerance,
    isOverload: aFunction(),
  }),
  health: members({ port: required(anInteger(0, 65_535)), host: aString() }),
  shutdownTimeoutMs: anInteger(0),
  stopOn: aListOf(`a list of ${STOP_SIGNALS.map((name) => `'${name}'`).join(', ')}`, isStopSignal),
  clock: objectWith('now', 'setTimer'),
};

/** Checks the end of the URL too, which shows whether the queue is FIFO. */
function aQueueUrl(): Check {
  return {
    expected: "a queue's URL, which ends with the queue's name",
    accepts: (value) =>
      typeof value === 'string' && URL.canParse(value) && /\/[\w-]{1,80}(?:\.fifo)?$/.test(value),
  };
}

/** Throws a `ConfigurationError` for options that contradict each other. */
export function assertConsistent(options: FlowOptions, isFifo: boolean): void {
  const { maxInFlight = 100, concurrencyPerGroup, adaptive, dependencies = [], batch } = options;
  const { floor = 1, ceiling = maxInFlight } = adaptive ?? {};
  const ofCeiling = adaptive?.ceiling === undefined ? 'maxInFlight' : 'adaptive.ceiling';
  assertAtMost('batch.size', batch?.size, 'maxInFlight', maxInFlight);
  assertAtMost('adaptive.ceiling', ceiling, 'maxInFlight', maxInFlight);
  assertAtMost('adaptive.floor', floor, ofCeiling, ceiling);
  assertAtMost('concurrencyPerGroup', concurrencyPerGroup, 'maxInFlight', maxInFlight);
  if (isFifo && concurrencyPerGroup !== undefined && concurrencyPerGroup !== 1) {
    refuse(`\`concurrencyPerGroup\` is ${concurrencyPerGroup}: a FIFO queue allows only 1`);
  }
  const names = dependencies.map(({ name }) => name);
  for (const name of names) {
    if (name === CLAIM_STORE) refuse(`\`${name}\` is the claim store's name: rename the dependency`);
    if (names.indexOf(name) !== names.lastIndexOf(name)) refuse(`two dependencies have the name \`${name}\``);
  }
}

function assertAtMost(name: string, value: number = 0, ofMost: string, most: number): void {
  if (value > most) refuse(`\`${name}\` (${value}) is above \`${ofMost}\` (${most})`);
}

function refuse(why: string): never {
  throw new ConfigurationError(`createWorker: ${why}`);
}
