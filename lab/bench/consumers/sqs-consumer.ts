import { once } from 'node:events';
import { SQSClient } from '@aws-sdk/client-sqs';
import { Consumer } from 'sqs-consumer';
import type { StartConsumer } from './consumer.ts';

/** As its documentation shows it, with batches of ten. */
export const oneConsumer: StartConsumer = consumersOf(1);

/** So many in one process, on one client. */
export function consumersOf(count: number): StartConsumer {
  return async ({ queueUrl, work }) => {
    const sqs = new SQSClient({ endpoint: new URL(queueUrl).origin.replace('sqs.us-east-1.', '') });
    const all = Array.from({ length: count }, () =>
      Consumer.create({
        queueUrl,
        sqs,
        batchSize: 10,
        handleMessage: async (message) => {
          await work(message.Body ?? '');
          return message;
        },
      }),
    );
    for (const one of all) {
      one.on('error', () => undefined); // of requests that the end breaks off
      one.start();
    }
    return async () => {
      const stopped = all.map((one) => once(one, 'stopped'));
      for (const one of all) one.stop({ abort: true });
      await Promise.all(stopped);
      sqs.destroy();
    };
  };
}
