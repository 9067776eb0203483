import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';

export interface OutgoingMessage {
  readonly body: string;
  /** FIFO queues want one; every message is then sent as one of its own. */
  readonly messageGroupId?: string;
}

/** Sends messages in their order and gives their ids, in the same. */
export async function sendMessages(
  sqs: SQSClient,
  queueUrl: string,
  messages: readonly OutgoingMessage[],
): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < messages.length; start += 10) {
    const { Successful = [], Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: messages.slice(start, start + 10).map(({ body, messageGroupId }, index) => ({
          Id: String(index),
          MessageBody: body,
          ...(messageGroupId !== undefined && {
            MessageGroupId: messageGroupId,
            MessageDeduplicationId: String(start + index),
          }),
        })),
      }),
    );
    if (Failed.length > 0) throw new Error(`The queue refused a message: ${Failed[0]?.Message}`);
    for (const { Id, MessageId = '' } of Successful) ids[start + Number(Id)] = MessageId;
  }
  return ids;
}
