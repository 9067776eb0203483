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
import type { ActionLog } from './action-log.ts';
import type { ActionJson, QueueJson } from './api.ts';
import { STATES } from './claim-filter.ts';
import type { ShownOutbox } from './outbox/outbox-reads.ts';
import type { QueueMetrics } from './queue-reader.ts';
import type { MessageSender } from './send/message-sender.ts';
import type { ReadLog } from './waterfall/read-waterfall.ts';

/** Options of `startConsole`. */
export interface ConsoleOptions {
  /** The admin of the claims. */
  readonly store: ClaimAdmin;
  /** The location of the claims, such as `table claims`. */
  readonly place: string;
  /** The person who changes claims, in at most 128 characters; stored with each change. */
  readonly operator: string;
  /** The folder of the built pages, with an `index.html`. */
  readonly appFolder: string;
  /** The version of the package, for the pages. */
  readonly version: string;
  /** Queues to show, with the messages of dead-letter queues. Default: none. */
  readonly queues?: readonly QueueJson[];
  /** `SQS` of `@aws-sdk/client-sqs`. Needed for `queues`. */
  readonly sqs?: DeadLetterSqs;
  /** Sends the messages that a person writes, to the queues that are no dead-letter queues. Default: none. */
  readonly sender?: MessageSender;
  /** The outbox whose rows are shown too. Default: none. */
  readonly outbox?: ShownOutbox;
  /** Namespaces of the claims, for searches. Default: those of the claims that were shown. */
  readonly namespaces?: readonly string[];
  /** Derives a message's key, as `processorKey()` does. Default: parked claims are searched for its id. */
  readonly key?: KeyOfMessage;
  /** Allows reading a dead-letter queue whose own redrive policy may move messages on. Default false. */
  readonly usesReceives?: boolean;
  /** Whether claims and rows can be changed and messages redriven. Default false. */
  readonly allowChanges?: boolean;
  /** The address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** The port to listen on. Default: a free port. */
  readonly port?: number;
  /**
   * The interval for reading all claims while a page is open, from 500 ms up; for emulators. Default: all
   * claims are read only when a person asks for it.
   */
  readonly readEveryMs?: number;
  /** States that the store may find by an index. Default: in progress, overdue and parked. */
  readonly indexedStates?: readonly ClaimState[];
  /** Returns the database's own estimate of its number of rows. */
  readonly estimateRows?: (signal: AbortSignal) => Promise<number | undefined>;
  /** Returns queue metrics that SQS itself does not have, by queue URL. */
  readonly queueMetrics?: (signal: AbortSignal) => Promise<ReadonlyMap<string, QueueMetrics>>;
  /** The region of the functions' logs, for links to CloudWatch Logs Insights. Default: no links. */
  readonly region?: string;
  /** The log of actions. Default: in memory, until the console stops. */
  readonly actions?: ActionLog;
  /**
   * Whether the server ends after each response, as a Lambda function may: then pages carry their plans, of
   * at most 1,000 claims. Default false.
   */
  readonly keepsNothing?: boolean;
  /** Reads the functions' log, for the waterfall of an attempt. Default: it shows what the claim says. */
  readonly readLog?: ReadLog;
  /** Called when an action begins and when it ends. */
  readonly onAction?: (action: ActionJson) => void;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** The checks of the options. */
export const CONSOLE_CHECKS: Readonly<Record<keyof ConsoleOptions, Check>> = {
  store: required(anAdmin()),
  place: required(aString()),
  operator: required(words(128)),
  appFolder: required(aString()),
  version: required(aString()),
  queues: { expected: 'a list', accepts: Array.isArray },
  sqs: anObject(),
  sender: objectWith('problemOf', 'send'),
  outbox: {
    ...anObject(),
    expected: 'an object { admin, place }',
    parts: { admin: required(objectWith('list', 'count', 'change')), place: required(aString()) },
  },
  namespaces: { expected: 'a list', accepts: Array.isArray },
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
  actions: objectWith('begin', 'end', 'recent', 'eventsOf', 'isFirst'),
  keepsNothing: aBoolean(),
  readLog: aFunction(),
  onAction: aFunction(),
  clock: objectWith('now', 'setTimer'),
};
