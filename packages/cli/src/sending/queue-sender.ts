import type { BatchResult } from 'batchlatch/sender';
import type { Outgoing } from './outgoing.ts';
import type { Sender } from './send-batch.ts';

/** The SQS method that sends; `SQS` of `@aws-sdk/client-sqs` fits. */
export interface SendingSqs {
  sendMessageBatch(input: { QueueUrl: string; Entries: Entry[] }): Promise<BatchResult>;
}

interface Entry {
  Id: string;
  MessageBody: string;
  MessageGroupId?: string;
  MessageDeduplicationId?: string;
  DelaySeconds?: number;
}

/** The queue that messages go to. */
export interface QueueDestination {
  readonly sqs: SendingSqs;
  readonly queueUrl: string;
  readonly delaySeconds: number | undefined;
}

/** Returns a sender to a queue: at most ten messages in a request. */
export function queueSender(
  { sqs, queueUrl, delaySeconds }: QueueDestination,
  sleep: Sender<Outgoing>['sleep'],
): Sender<Outgoing> {
  return {
    async request(messages) {
      const { Failed = [] } = await sqs.sendMessageBatch({
        QueueUrl: queueUrl,
        Entries: messages.map((message, index) => entryOf(message, index, delaySeconds)),
      });
      return Failed.map(({ Id, Code = 'unknown', Message = '', SenderFault }) => ({
        index: Number(Id),
        code: Code,
        reason: Message,
        isFinal: SenderFault === true,
      }));
    },
    sleep,
  };
}

function entryOf(
  { body, groupId, dedupId }: Outgoing,
  index: number,
  delaySeconds: number | undefined,
): Entry {
  return {
    Id: String(index),
    MessageBody: body,
    ...(groupId !== undefined && { MessageGroupId: groupId }),
    ...(dedupId !== undefined && { MessageDeduplicationId: dedupId }),
    ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
  };
}
