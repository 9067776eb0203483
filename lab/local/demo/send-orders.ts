import { setTimeout as delay } from 'node:timers/promises';
import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { OrderMessage } from './order-messages.ts';
import type { SentMessage } from './summary.ts';

export interface SendingOrders {
  /** Messages in a second. Default: as fast as can be. */
  readonly rate: number | undefined;
  readonly signal: AbortSignal;
}

/** Sends the messages in order, up to ten to a request, and adds them to `sent`. */
export async function sendOrders(
  sqs: SQSClient,
  queueUrl: string,
  messages: readonly OrderMessage[],
  sent: SentMessage[],
  { rate, signal }: SendingOrders,
): Promise<void> {
  // Five requests a second look like one message after the other.
  const size = rate === undefined ? 10 : Math.min(10, Math.ceil(rate / 5));
  for (let start = 0; start < messages.length; start += size) {
    if (rate !== undefined && start > 0) await delay((size / rate) * 1_000, undefined, { signal });
    const group = messages.slice(start, start + size);
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
}
