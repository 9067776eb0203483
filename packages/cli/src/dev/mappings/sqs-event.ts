import type { SQSEvent } from 'aws-lambda';
import type { ReceivedMessage } from './sqs-sdk-queue.ts';

/** Returns the event that Lambda's event source mapping makes of messages. */
export function sqsEventOf(messages: readonly ReceivedMessage[], queueArn: string): SQSEvent {
  const place = {
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
  return { Records: messages.map((message) => ({ ...message, ...place })) };
}
