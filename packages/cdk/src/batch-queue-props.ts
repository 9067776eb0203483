import { Duration } from 'aws-cdk-lib/core';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import {
  aBoolean,
  anInteger,
  type Check,
  checkOptionsOf,
  ConfigurationError,
  required,
} from './check-options.ts';
import { aConstruct, aDuration } from './checks.ts';
import type { ClaimsTable } from './claims-table.ts';

/** Properties of a `BatchQueue`. */
export interface BatchQueueProps {
  /** The function that processes the messages. It gets the permissions and environment variables for that. */
  readonly function: lambda.Function;
  /** The table for the claims of the messages. */
  readonly claims: ClaimsTable;
  /** Whether the queue is a FIFO queue. Default false. */
  readonly fifo?: boolean;
  /**
   * The most messages of an invocation: up to 10,000, or 10 for a FIFO queue. Above 10 it needs
   * `maxBatchingWindow`. Default 10.
   */
  readonly batchSize?: number;
  /** How long Lambda gathers a batch: up to 5 minutes; not for FIFO queues. Default: no wait. */
  readonly maxBatchingWindow?: Duration;
  /** The most concurrent invocations, 2 to 1,000. Default: no limit. */
  readonly maxConcurrency?: number;
  /**
   * How often a message is received before it moves to the dead-letter queue, 1 to 1,000. Default 5. With
   * less than 3, messages that only wait for another run's claim may move.
   */
  readonly maxReceiveCount?: number;
  /**
   * How long the queue keeps a message. Default 4 days. The processor's `retentionMs` must not be shorter.
   */
  readonly retentionPeriod?: Duration;
  /**
   * How long a dead letter is kept: from its first sending, and then longer than `retentionPeriod`; in a
   * FIFO queue, from its move. Default and maximum: 14 days.
   */
  readonly deadLetterRetentionPeriod?: Duration;
  /** How long a message is hidden. Default and minimum: 6 × function timeout + `maxBatchingWindow`. */
  readonly visibilityTimeout?: Duration;
  /** A customer-managed KMS key for both queues. Senders need access to it. Default: a key that SQS owns. */
  readonly encryptionKey?: kms.IKey;
  /** Whether the event source mapping is enabled. Default true. */
  readonly enabled?: boolean;
}

const checks: Readonly<Record<keyof BatchQueueProps, Check>> = {
  function: required(aConstruct('a Function of aws-cdk-lib/aws-lambda', 'functionArn', 'addEnvironment')),
  claims: required(aConstruct('a ClaimsTable', 'table', 'connect')),
  fifo: aBoolean(),
  batchSize: anInteger(1),
  maxBatchingWindow: aDuration(),
  maxConcurrency: anInteger(2),
  maxReceiveCount: anInteger(1),
  retentionPeriod: aDuration(),
  deadLetterRetentionPeriod: aDuration(),
  visibilityTimeout: aDuration(),
  encryptionKey: aConstruct('a key of aws-cdk-lib/aws-kms', 'keyArn'),
  enabled: aBoolean(),
};

/** Throws a `ConfigurationError` for properties that AWS would refuse, or that would lose messages. */
export function checkBatchQueue(props: BatchQueueProps): void {
  checkOptionsOf('BatchQueue', props, checks);
  const { fifo = false, batchSize = 10, maxBatchingWindow, maxConcurrency = 2, maxReceiveCount = 5 } = props;
  const windowSeconds = maxBatchingWindow?.toSeconds() ?? 0;
  if (fifo && windowSeconds > 0) throw wrong('a FIFO queue has no `maxBatchingWindow`; leave it out');
  const mostRecords = fifo ? 10 : 10_000;
  if (batchSize > mostRecords) {
    throw wrong(`Expected \`batchSize\` to be at most ${mostRecords}, got ${batchSize}`);
  }
  if (batchSize > 10 && windowSeconds === 0) {
    throw wrong(`a \`batchSize\` above 10 needs \`maxBatchingWindow\` of a second or more, got ${batchSize}`);
  }
  if (windowSeconds > 300) {
    throw wrong(`Expected \`maxBatchingWindow\` to be at most 300 seconds, got ${windowSeconds}`);
  }
  if (maxConcurrency > 1_000) {
    throw wrong(`Expected \`maxConcurrency\` to be at most 1000, got ${maxConcurrency}`);
  }
  if (maxReceiveCount > 1_000) {
    throw wrong(`Expected \`maxReceiveCount\` to be at most 1000, got ${maxReceiveCount}`);
  }
  checkRetention(props);
}

function checkRetention(props: BatchQueueProps): void {
  // A FIFO dead-letter queue counts from the move.
  if (props.fifo === true) return;
  const { retentionPeriod = Duration.days(4), deadLetterRetentionPeriod = Duration.days(14) } = props;
  const [queue, deadLetters] = [retentionPeriod.toSeconds(), deadLetterRetentionPeriod.toSeconds()];
  if (deadLetters > queue) return;
  throw wrong(
    `Expected \`deadLetterRetentionPeriod\` to be longer than \`retentionPeriod\`, ` +
      `got ${deadLetters} and ${queue} seconds: ` +
      'a message of a standard queue keeps the time of its first sending, and would be deleted on arrival',
  );
}

/** Returns six times the function's timeout plus the window in which received messages are gathered. */
export function visibilityTimeoutOf(props: BatchQueueProps): Duration {
  const { visibilityTimeout, maxBatchingWindow } = props;
  const timeout = props.function.timeout ?? Duration.seconds(3); // Lambda's own default
  if (timeout.isUnresolved()) {
    if (visibilityTimeout !== undefined) return visibilityTimeout;
    throw wrong("the function's timeout is not known before the deployment: give `visibilityTimeout`");
  }
  const least = 6 * timeout.toSeconds() + (maxBatchingWindow?.toSeconds() ?? 0);
  const seconds = visibilityTimeout?.toSeconds() ?? least;
  if (seconds >= least) return Duration.seconds(seconds);
  throw wrong(
    `Expected \`visibilityTimeout\` to be at least ${least} seconds, six times the function's timeout ` +
      `plus \`maxBatchingWindow\`, got ${seconds}`,
  );
}

function wrong(what: string): ConfigurationError {
  return new ConfigurationError(`BatchQueue: ${what}`);
}
