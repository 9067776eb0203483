import type { SQS } from '@aws-sdk/client-sqs';
import type { RowSender } from 'batchlatch/outbox';

/** A sender of encoded messages to a standard queue, ten at a time. */
export function queueSender(sqs: SQS, QueueUrl: string): RowSender {
  return {
    async sendEncoded(rows) {
      for (let from = 0; from < rows.length; from += 10) {
        const Entries = rows.slice(from, from + 10).map(({ body, attributes }, index) => ({
          Id: String(index),
          MessageBody: body,
          MessageAttributes: Object.fromEntries(
            Object.entries(attributes).map(([name, StringValue]) => [
              name,
              { DataType: 'String', StringValue },
            ]),
          ),
        }));
        const { Failed = [] } = await sqs.sendMessageBatch({ QueueUrl, Entries });
        if (Failed.length > 0) throw new Error('The queue refused messages');
      }
      return { sent: rows, failed: [], unknown: [] };
    },
  };
}
