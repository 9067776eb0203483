import type { Clock } from '../base/clock.ts';
import { ConfigurationError } from '../base/errors.ts';
import type { LargeBodies } from '../messages/large-bodies.ts';
import type { TraceHeaders } from '../messages/trace-headers.ts';
import {
  aBoolean,
  aFunction,
  anInteger,
  type Check,
  checkOptionsOf,
  objectWith,
  required,
} from '../options/check-options.ts';
import { aClientWith } from '../options/command-client.ts';
import type { SendTarget } from './sender.ts';

/** Options of `createSender()`. */
export interface SenderOptions {
  /**
   * The most bytes of a message and of a request, if the queue or topic has a limit of its own
   * (`MaximumMessageSize`). Default: 1 MiB for SQS, 256 KiB for SNS, 1 MB for EventBridge.
   */
  readonly maxMessageBytes?: number;
  /** Where larger bodies go: `s3Bodies({ bucket })`. Not for event buses. Default: such messages fail. */
  readonly large?: LargeBodies;
  /** Adds the trace context to each message: `traceContext()`. Default: none is added. */
  readonly trace?: TraceContext;
  /** Whether to give up the order of groups on a FIFO target, for more throughput. Default false. */
  readonly unordered?: boolean;
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: Clock;
}

/** Returns the W3C trace context of the active span. Created by `traceContext()`. */
export type TraceContext = () => TraceHeaders;

const aText: Check = required({
  expected: 'a string',
  accepts: (value) => typeof value === 'string' && value !== '',
});

const TARGETS: readonly Readonly<Record<string, Check>>[] = [
  {
    queueUrl: required({
      expected: "a queue's URL",
      accepts: (value) => typeof value === 'string' && URL.canParse(value),
    }),
    client: aClientWith('sendMessageBatch'),
  },
  {
    topicArn: required({
      expected: "a topic's ARN",
      accepts: (value) => typeof value === 'string' && /^arn:[\w-]+:sns:[\w-]+:\d*:[\w.-]+$/.test(value),
    }),
    client: aClientWith('publishBatch'),
  },
  { eventBusName: aText, source: aText, client: aClientWith('putEvents') },
];

const OPTIONS: Readonly<Record<keyof SenderOptions, Check>> = {
  maxMessageBytes: anInteger(1_024),
  large: objectWith('put'),
  trace: aFunction(),
  unordered: aBoolean(),
  clock: objectWith('now', 'setTimer'),
};

/** Throws a `ConfigurationError` for a target or options that cannot work. */
export function checkSenderOptions(to: SendTarget, options: SenderOptions): void {
  const checks = TARGETS.find((names) =>
    Object.keys(to ?? {}).some((name) => name !== 'client' && name in names),
  );
  if (checks === undefined) {
    throw new ConfigurationError(
      'createSender: Expected a target: { queueUrl }, { topicArn } or { eventBusName, source }',
    );
  }
  checkOptionsOf('createSender', to, checks);
  checkOptionsOf('createSender', options, OPTIONS);
  if ('eventBusName' in to && options.large !== undefined) {
    throw new ConfigurationError(
      'createSender: `large` is for queues and topics; an event cannot point to a body in S3',
    );
  }
}
