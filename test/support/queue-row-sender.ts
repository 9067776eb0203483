import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { RowSender, RowsReport } from '../../src/outbox/row-sender.ts';

/** Sends rows to a queue with AWS's SDK, ten at a time, one batch after the other. */
export function queueRowSender(sqs: SQSClient, QueueUrl: string): RowSender {
  return {
    async sendEncoded(all) {
      type Row = (typeof all)[number];
      const sent: Row[] = [];
      const failed: RowsReport<Row>['failed'][number][] = [];
      const unknown: RowsReport<Row>['unknown'][number][] = [];
      for (let start = 0; start < all.length; start += 10) {
        const chunk = all.slice(start, start + 10);
        const Entries = chunk.map(({ body, attributes }, index) => ({
          Id: String(index),
          MessageBody: body,
          MessageAttributes: Object.fromEntries(
            Object.entries(attributes).map(([name, StringValue]) => [
              name,
              { DataType: 'String', StringValue },
            ]),
          ),
        }));
        try {
          const { Successful = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
          const taken = new Set(Successful.map(({ Id }) => Number(Id)));
          for (const [index, message] of chunk.entries()) {
            if (taken.has(index)) sent.push(message);
            else failed.push({ message, error: new Error('The queue did not take it'), isRetryable: true });
          }
        } catch (error) {
          unknown.push(...chunk.map((message) => ({ message, error: error as Error })));
        }
      }
      return { sent, failed, unknown };
    },
  };
}
