import type { SQSEvent } from 'aws-lambda';
import type { ReceivedMessage } from './sqs-sdk-queue.ts';

/** Messages as Lambda's event source mapping delivers them. */
export function sqsEventOf(messages: readonly ReceivedMessage[], queueArn: string): SQSEvent {
  const place = {
    eventSource: 'aws:sqs',
    eventSourceARN: queueArn,
    awsRegion: queueArn.split(':')[3] ?? '',
  };
  return { Records: messages.map((message) => ({ ...message, ...place })) };
}
