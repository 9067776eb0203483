import { message, messages } from 'batchlatch/messages';
import { createSender } from 'batchlatch/sender';
import pLimit from 'p-limit';
import { AT_ONCE, type CreateProducer, IN_BATCH } from './producer.ts';
import { order } from './schema.ts';

const orders = messages({ OrderPlaced: message(order, { key: ['id'], group: 'tenantId' }) });

/** All messages in one call. */
export const sendAll: CreateProducer = (queueUrl) => {
  const sender = createSender(orders, { queueUrl });
  return async (all) => {
    const { failed, unknown } = await sender.sendAll(all.map((body) => ({ type: 'OrderPlaced', body })));
    if (failed.length + unknown.length > 0)
      throw new Error(`${failed.length + unknown.length} were not sent`);
  };
};

/** A call for each message, as web handlers make them. */
export const sendEach: CreateProducer = (queueUrl) => {
  const sender = createSender(orders, { queueUrl });
  const limit = pLimit(AT_ONCE * IN_BATCH);
  return async (all) => {
    await Promise.all(all.map((body) => limit(() => sender.send('OrderPlaced', body))));
  };
};
