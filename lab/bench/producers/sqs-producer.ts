import pLimit from 'p-limit';
import { Producer } from 'sqs-producer';
import { AT_ONCE, batchesOf, type CreateProducer, type Order } from './producer.ts';

/** As its documentation shows it, many batches at once; what it names as failed is sent again. */
export const createProducer: CreateProducer = (queueUrl) => {
  const producer = Producer.create({ queueUrl });
  const limit = pLimit(AT_ONCE);

  async function sendBatch(batch: readonly Order[]): Promise<void> {
    try {
      await producer.send(
        batch.map((body) => ({
          id: body.id,
          body: JSON.stringify(body),
          messageAttributes: { type: { DataType: 'String', StringValue: body.type } },
        })),
      );
    } catch (thrown) {
      const { failedMessages = [] } = thrown as { readonly failedMessages?: readonly string[] };
      if (failedMessages.length === 0) throw thrown;
      await sendBatch(batch.filter(({ id }) => failedMessages.includes(id)));
    }
  }

  return async (all) => {
    await Promise.all(batchesOf(all).map((batch) => limit(() => sendBatch(batch))));
  };
};
