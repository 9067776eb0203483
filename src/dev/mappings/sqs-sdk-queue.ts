import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { platformSignal } from '../../base/stop.ts';
import type { MessageQueue } from '../../worker/message-queue.ts';
import { sqsQueue } from '../../worker/sqs-queue.ts';

const COMMANDS = {
  ReceiveMessage: ReceiveMessageCommand,
  DeleteMessageBatch: DeleteMessageBatchCommand,
  ChangeMessageVisibilityBatch: ChangeMessageVisibilityBatchCommand,
  GetQueueAttributes: GetQueueAttributesCommand,
} as const;

/** A queue, through a client of AWS's SDK. */
export function sdkQueue(sqs: Pick<SQSClient, 'send'>, queueUrl: string): MessageQueue {
  return sqsQueue((operation, input, signal) => {
    const Command = COMMANDS[operation] as typeof ReceiveMessageCommand;
    return sqs.send(new Command(input as { QueueUrl: string }), { abortSignal: platformSignal(signal) });
  }, queueUrl);
}
