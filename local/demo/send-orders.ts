import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { OrderMessage } from './order-messages.ts';
import type { SentMessage } from './summary.ts';

/** Sends the messages in order, ten to a request. */
export async function sendOrders(
  sqs: SQSClient,
  queueUrl: string,
  messages: readonly OrderMessage[],
): Promise<SentMessage[]> {
  const sent: SentMessage[] = [];
  for (let start = 0; start < messages.length; start += 10) {
    const group = messages.slice(start, start + 10);
    const { Successful = [], Failed = [] } = await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: queueUrl,
        Entries: group.map(({ body }, index) => ({ Id: String(index), MessageBody: body })),
      }),
    );
    if (Failed.length > 0) throw new Error(`SQS refused a message: ${Failed[0]?.Message}`);
    for (const { Id, MessageId = '' } of Successful) {
      const { orderId, peculiarity } = group[Number(Id)] as OrderMessage;
      sent.push({ messageId: MessageId, orderId, peculiarity });
    }
  }
  return sent;
}
