import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { createWorker, type WorkerOptions } from 'batchlatch/worker';
import type { ConsumerSetup, StartConsumer } from './consumer.ts';

/** A plain Lambda handler, as `sqs-consumer` has one. */
export const withoutClaims: StartConsumer = ({ queueUrl, work }) =>
  started({
    queueUrl,
    async handler({ Records }) {
      for (const { body } of Records) await work(body);
      return { batchItemFailures: [] };
    },
  });

/** As users have it: claims in DynamoDB, and the log. */
export const withClaims: StartConsumer = ({ queueUrl, tableName, work }: ConsumerSetup) =>
  started({
    queueUrl,
    handler: createBatchProcessor(({ rawBody }) => work(rawBody), { store: dynamoDBStore({ tableName }) }),
  });

/** A short wait lets it stop soon; while there are messages, no receive waits. */
async function started(options: WorkerOptions): Promise<() => Promise<void>> {
  const worker = createWorker({ waitTimeSeconds: 1, ...options });
  await worker.start();
  return () => worker.stop();
}
