import { createHash, randomUUID } from 'node:crypto';
import type { Context, EventBridgeEvent, SQSEvent, SQSRecord } from 'aws-lambda';
import {
  aBoolean,
  aListOf,
  anInteger,
  anObject,
  aNumber,
  aString,
  checkOptionsOf,
  objectWith,
} from '../options/check-options.ts';
import { aContent, aFiniteNumber, checkRecords, textOf } from './check-members.ts';

/** An SQS message, as a test specifies it; other members are filled in. */
export interface SqsMessage {
  /** The body: a string is sent unchanged, anything else as JSON. */
  readonly body: unknown;
  /** The message id. Default: random. */
  readonly messageId?: string;
  /** How often the message has been received, from 1. Default 1. */
  readonly receiveCount?: number;
  /** The message group. Default: none. */
  readonly messageGroupId?: string;
  /** When the message was sent, in epoch milliseconds. Default: now. */
  readonly sentAt?: number;
  /** The message attributes. Default: none. */
  readonly messageAttributes?: SQSRecord['messageAttributes'];
}

/** Options of `sqsEvent`. */
export interface SqsEventOptions {
  /** The queue's name. Default `orders`. */
  readonly queueName?: string;
  /** Whether the queue is FIFO: the name then ends with `.fifo`. Default: as `queueName` ends. */
  readonly fifo?: boolean;
}

/**
 * Returns an SQS batch as Lambda delivers it.
 *
 * @param messages The messages.
 * @param options The queue they come from.
 * @throws `ConfigurationError` for an unknown or invalid member or option.
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
  checkOptionsOf('sqsEvent', options, { queueName: aString(), fifo: aBoolean() });
  const { queueName: name = 'orders', fifo = false } = options;
  const queueName = fifo && !name.endsWith('.fifo') ? `${name}.fifo` : name;
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
 * Returns an event as EventBridge delivers it to a function.
 *
 * @typeParam Detail The type of the detail.
 * @param detail The detail of the event.
 * @param members Members that replace the defaults, such as `source` or `detail-type`. Default: none.
 * @throws `ConfigurationError` for an unknown or invalid member.
 */
export function eventBridgeEvent<Detail>(
  detail: Detail,
  members: Partial<Omit<EventBridgeEvent<string, Detail>, 'detail'>> = {},
): EventBridgeEvent<string, Detail> {
  checkOptionsOf('eventBridgeEvent', members, {
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

/** An invocation, as a test specifies it; other members are filled in. */
export interface LambdaContextOptions {
  /** The function's name. Default `test-function`. */
  readonly functionName?: string;
  /** The first result of `getRemainingTimeInMillis`, in milliseconds; it then runs down. Default 30,000. */
  readonly remainingTimeMs?: number;
  /** The clock. Default: the system clock. */
  readonly clock?: {
    /** Returns the time in epoch milliseconds. */
    now(): number;
  };
}

/**
 * Returns Lambda's context of an invocation.
 *
 * @param options Members that replace the defaults.
 * @throws `ConfigurationError` for an unknown or invalid option.
 */
export function lambdaContext(options: LambdaContextOptions = {}): Context {
  checkOptionsOf('lambdaContext', options, {
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
