import { createHash, randomUUID } from 'node:crypto';
import type { Context, EventBridgeEvent, SQSEvent, SQSRecord } from 'aws-lambda';
import {
  aBoolean,
  aListOf,
  aNumber,
  anInteger,
  anObject,
  aString,
  objectWith,
} from '../options/check-options.ts';
import { aContent, aFiniteNumber, checkBuilderOptions, checkRecords, textOf } from './check-members.ts';

/** What a test specifies about one message; the rest is filled in. */
export interface SqsMessage {
  /** Sent as it is when it is a string, else as JSON. */
  readonly body: unknown;
  /** Default: a random one. */
  readonly messageId?: string;
  /** How often the message has been received, from 1. Default 1. */
  readonly receiveCount?: number;
  /** Default: none. */
  readonly messageGroupId?: string;
  /** Epoch milliseconds. Default: now. */
  readonly sentAt?: number;
  /** Default: none. */
  readonly messageAttributes?: SQSRecord['messageAttributes'];
}

/** Which queue the messages come from. */
export interface SqsEventOptions {
  /** Default `orders`, or `orders.fifo` where `fifo` is set. */
  readonly queueName?: string;
  /** Whether the queue is FIFO. Default false. */
  readonly fifo?: boolean;
}

/**
 * An SQS batch as Lambda delivers it.
 *
 * @param messages What is said of each message.
 * @param options Which queue they come from.
 * @throws `ConfigurationError` for a member or an option that is unknown or impossible.
 */
export function sqsEvent(messages: readonly SqsMessage[], options: SqsEventOptions = {}): SQSEvent {
  checkRecords('sqsEvent', messages, {
    content: 'body',
    checks: {
      body: aContent(),
      messageId: aString(),
      receiveCount: anInteger(1),
      messageGroupId: aString(),
      sentAt: aFiniteNumber(),
      messageAttributes: anObject(),
    },
  });
  checkBuilderOptions('sqsEvent', options, { queueName: aString(), fifo: aBoolean() });
  const queueName = options.queueName ?? (options.fifo === true ? 'orders.fifo' : 'orders');
  return { Records: messages.map((message) => sqsRecord(message, queueName)) };
}

function sqsRecord(message: SqsMessage, queueName: string): SQSRecord {
  const sentAt = String(message.sentAt ?? Date.now());
  const body = textOf(message.body);
  return {
    messageId: message.messageId ?? randomUUID(),
    receiptHandle: randomUUID(),
    body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount ?? 1),
      SentTimestamp: sentAt,
      SenderId: 'AIDAEXAMPLE',
      ApproximateFirstReceiveTimestamp: sentAt,
      ...(message.messageGroupId !== undefined && { MessageGroupId: message.messageGroupId }),
    },
    messageAttributes: message.messageAttributes ?? {},
    md5OfBody: createHash('md5').update(body).digest('hex'),
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:us-east-1:123456789012:${queueName}`,
    awsRegion: 'us-east-1',
  };
}

/**
 * An event as EventBridge delivers it to a function.
 *
 * @typeParam Detail The type of the detail.
 * @param detail What happened.
 * @param members What is to be different, such as `source` or `detail-type`. Default: nothing.
 * @throws `ConfigurationError` for a member that is unknown or impossible.
 */
export function eventBridgeEvent<Detail>(
  detail: Detail,
  members: Partial<Omit<EventBridgeEvent<string, Detail>, 'detail'>> = {},
): EventBridgeEvent<string, Detail> {
  checkBuilderOptions('eventBridgeEvent', members, {
    version: aString(),
    id: aString(),
    source: aString(),
    account: aString(),
    time: aString(),
    region: aString(),
    resources: aListOf('a list'),
    'detail-type': aString(),
    'replay-name': aString(),
  });
  return {
    version: '0',
    id: randomUUID(),
    source: 'shop.orders',
    account: '123456789012',
    time: new Date().toISOString().replace(/\.\d+/, ''),
    region: 'us-east-1',
    resources: [],
    'detail-type': 'OrderPlaced',
    ...members,
    detail,
  };
}

/** What a test specifies about an invocation; the rest is filled in. */
export interface LambdaContextOptions {
  /** Default `test-function`. */
  readonly functionName?: string;
  /** What `getRemainingTimeInMillis` answers at the first call; it then runs down. Default 30,000. */
  readonly remainingTimeMs?: number;
  /** Default: the system clock. */
  readonly clock?: {
    /** Epoch milliseconds. */
    now(): number;
  };
}

/**
 * Lambda's context of one invocation.
 *
 * @param options What is to be different.
 * @throws `ConfigurationError` for an option that is unknown or impossible.
 */
export function lambdaContext(options: LambdaContextOptions = {}): Context {
  checkBuilderOptions('lambdaContext', options, {
    functionName: aString(),
    remainingTimeMs: aNumber(),
    clock: objectWith('now'),
  });
  const { functionName = 'test-function', remainingTimeMs = 30_000, clock = Date } = options;
  const endsAt = clock.now() + remainingTimeMs;
  const awsRequestId = randomUUID();
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:123456789012:function:${functionName}`,
    memoryLimitInMB: '128',
    awsRequestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: `2026/01/01/[$LATEST]${awsRequestId.replaceAll('-', '')}`,
    getRemainingTimeInMillis: () => endsAt - clock.now(),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
