import { randomUUID } from 'node:crypto';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ReceivedMessage } from './sqs-queue.ts';

/** Returns messages as the event that Lambda's event source mapping delivers. */
export function sqsEventOf(messages: readonly ReceivedMessage[], queueArn: string): SQSEvent {
  const awsRegion = queueArn.split(':')[3] ?? '';
  return {
    Records: messages.map((message): SQSRecord => ({
      messageId: message.messageId,
      receiptHandle: message.receiptHandle,
      body: message.body,
      attributes: message.attributes as unknown as SQSRecord['attributes'],
      messageAttributes: message.messageAttributes as SQSRecord['messageAttributes'],
      md5OfBody: message.md5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: queueArn,
      awsRegion,
    })),
  };
}

/** The longest delay of a timer. `setTimeout` fires at once for more, and `AbortSignal.timeout` throws. */
const LONGEST_MS = 2_147_483_647;

/** Returns a context like Lambda's, without what only Lambda knows. The remaining time is never infinite. */
export function contextOf(name: string, remainingTimeMs: () => number): Context {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: '',
    memoryLimitInMB: '',
    awsRequestId: randomUUID(),
    logGroupName: '',
    logStreamName: '',
    getRemainingTimeInMillis: () => Math.min(remainingTimeMs(), LONGEST_MS),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

/** Returns the default function name: the queue's name. */
export function nameOfQueue(queueUrl: string): string {
  return new URL(queueUrl).pathname.split('/').at(-1) || 'worker';
}
