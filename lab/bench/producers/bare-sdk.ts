import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import pLimit from 'p-limit';
import { AT_ONCE, batchesOf, type CreateProducer, type Order } from './producer.ts';

/** Nothing but requests of ten, and those again that were refused. No schema, no key. */
export const createProducer: CreateProducer = (queueUrl) => {
  const sqs = new SQSClient({});
  const limit = pLimit(AT_ONCE);

  async function sendBatch(batch: readonly Order[]): Promise<void> {
    const Entries = batch.map((body, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify(body),
      MessageGroupId: body.tenantId,
      MessageAttributes: { type: { DataType: 'String', StringValue: body.type } },
    }));
    const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
    if (Failed.length > 0) await sendBatch(Failed.map(({ Id }) => batch[Number(Id)] as Order));
  }

  return async (all) => {
    await Promise.all(batchesOf(all).map((batch) => limit(() => sendBatch(batch))));
  };
};
