import type { ClaimAdmin, ClaimState, DeadLetterSqs, KeyOfMessage } from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import {
  aBoolean,
  aFunction,
  anAdmin,
  anInteger,
  anObject,
  aString,
  type Check,
  objectWith,
  required,
  words,
} from '../tool-base/check-options.ts';
import type { ActionJson, QueueJson } from './api.ts';
import { STATES } from './claim-filter.ts';
import type { QueueMetrics } from './queue-reader.ts';

/** Options of `startConsole`. */
export interface ConsoleOptions {
  /** The claims. */
  readonly store: ClaimAdmin;
  /** Where they are, such as `table claims`. */
  readonly place: string;
  /** Who changes claims: at most 128 characters, kept on them. */
  readonly operator: string;
  /** The folder of the built pages, with an `index.html`. */
  readonly appFolder: string;
  /** Of the package, for the pages. */
  readonly version: string;
  /** Queues at a glance; of those that are dead-letter queues, messages too. Default: none. */
  readonly queues?: readonly QueueJson[];
  /** `SQS` of `@aws-sdk/client-sqs`. Needed for `queues`. */
  readonly sqs?: DeadLetterSqs;
  /** The key of a message, such as `processorKey({ namespace })` gives. Default: claims that are parked are searched for its id. */
  readonly key?: KeyOfMessage;
  /** Accepts that a dead-letter queue with a redrive policy of its own may move messages on. Default false. */
  readonly usesReceives?: boolean;
  /** Whether claims can be changed and messages redriven. Default false. */
  readonly allowChanges?: boolean;
  /** The address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** Default: one that is free. */
  readonly port?: number;
  /**
   * Reads every claim so often, in milliseconds from 500 up, while somebody looks: for emulators. Default: every claim is read
   * only when somebody asks for it.
   */
  readonly readEveryMs?: number;
  /** States that the store may find by an index. Default: in progress, overdue and parked. */
  readonly indexedStates?: readonly ClaimState[];
  /** How many rows the database says that there are. */
  readonly estimateRows?: () => Promise<number | undefined>;
  /** What SQS itself does not tell of queues, by their URLs. */
  readonly queueMetrics?: (signal: AbortSignal) => Promise<ReadonlyMap<string, QueueMetrics>>;
  /** The region of the log of the functions, for links to CloudWatch Logs Insights. Default: no links. */
  readonly region?: string;
  /** Told of every action, as it begins and as it ends. */
  readonly onAction?: (action: ActionJson) => void;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** What the options may be. */
export const CONSOLE_CHECKS: Readonly<Record<keyof ConsoleOptions, Check>> = {
  store: required(anAdmin()),
  place: required(aString()),
  operator: required(words(128)),
  appFolder: required(aString()),
  version: required(aString()),
  queues: { expected: 'a list', accepts: Array.isArray },
  sqs: anObject(),
  key: aFunction(),
  usesReceives: aBoolean(),
  allowChanges: aBoolean(),
  host: aString(),
  port: anInteger(0),
  readEveryMs: anInteger(500),
  indexedStates: {
    expected: 'a list of states',
    accepts: (value) =>
      Array.isArray(value) && value.every((state: unknown) => STATES.includes(state as ClaimState)),
  },
  estimateRows: aFunction(),
  queueMetrics: aFunction(),
  region: aString(),
  onAction: aFunction(),
  clock: objectWith('now', 'setTimer'),
};
