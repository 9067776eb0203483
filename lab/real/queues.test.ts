import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQS, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backoff, createBatchProcessor, deadLetterQueue, PermanentError, RetryLaterError } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import type { Peculiarity } from '../local/demo/order-messages.ts';
import { readDepth } from '../local/demo/stored-orders.ts';
import { summarize } from '../local/demo/summary.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { dynamoDBLocal, startDynamoDBLocal } from '../../test/support/components/dynamodb-local.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { createQueue } from './support/create-queue.ts';
import { type OrdersJob, runOrdersJob } from './support/orders-job.ts';
import { sendMessages } from './support/send-messages.ts';
import { startComponent } from './support/start-component.ts';
import { until } from './support/until.ts';
import { pollQueue } from '../../test/support/poll-queue.ts';

for (const name of ['elasticmq', 'fauxqs']) {
  describeWith(
    [componentNamed(name), dynamoDBLocal],
    `orders from ${name}, with claims on DynamoDB Local`,
    () => {
      let database: LocalService;
      let queues: LocalService;
      let dynamoDB: DynamoDBClient;
      let sqs: SQSClient;
      beforeAll(async () => {
        [database, queues] = await Promise.all([startDynamoDBLocal(), startComponent(name)]);
        dynamoDB = emulatorClient(database.endpoint);
        sqs = new SQSClient({ ...emulatorClientConfig, endpoint: queues.endpoint });
      }, INSTALL_TIMEOUT_MS);
      afterAll(async () => {
        dynamoDB.destroy();
        sqs.destroy();
        await Promise.all([database.stop(), queues.stop()]);
      });

      describe('200 orders, some of them trouble,', () => {
        const messages = 200;
        let job: OrdersJob;
        beforeAll(async () => {
          job = await runOrdersJob({ sqs, dynamoDB, dynamoDBEndpoint: database.endpoint, messages });
        });

        it('are each charged once, and none is lost or left over', () => {
          const summary = summarize(job.sent, job.remains);
          expect(summary).toMatchObject({ sent: messages, chargedTwice: 0, lost: 0, leftOver: 0 });
          expect(summary.chargedOnce).toBe(ordersThatCanBeCharged(job).size);
        });

        it('that come again under another message id are dropped', () => {
          const { duplicatesDropped } = summarize(job.sent, job.remains);
          expect(duplicatesDropped).toBe(sentAs(job, 'sent-again').length);
        });

        it('that cannot be charged are all that the dead-letter queue holds', () => {
          const hopeless = ['not-json', 'no-order-id', 'bad-amount', 'always-declined'] as const;
          expect([...job.remains.deadLettered].toSorted()).toEqual(
            hopeless
              .flatMap((peculiarity) => sentAs(job, peculiarity))
              .map(({ messageId }) => messageId)
              .toSorted(),
          );
        });

        it('are taken over from the process that died', () => {
          const [killer] = sentAs(job, 'kills-its-process');
          expect(summarize(job.sent, job.remains).takenOver).toBe(1);
          expect(job.remains.chargedOrders).toContain(killer?.orderId);
        });
      });

      it('a FIFO queue keeps the order of every message group through a failure', async () => {
        const { queueUrl, queueArn } = await createQueue(sqs, { visibilityTimeoutSeconds: 1, isFifo: true });
        const groups = ['a', 'b', 'c', 'd'];
        const numbers = [1, 2, 3, 4, 5];
        const done: Record<string, number[]> = { a: [], b: [], c: [], d: [] };
        let failuresLeft = 2;
        const handler = createBatchProcessor<{ group: string; number: number }>(
          async ({ body: { group, number } }) => {
            if (group === 'b' && number === 3 && failuresLeft > 0) {
              failuresLeft -= 1;
              throw new Error('not yet');
            }
            done[group]?.push(number);
          },
          {
            store: dynamoDBStore({ client: dynamoDB, tableName: await createClaimsTable(dynamoDB) }),
            observer: { onEvent: () => undefined },
          },
        );
        const messages = numbers.flatMap((number) =>
          groups.map((group) => ({ body: JSON.stringify({ group, number }), messageGroupId: group })),
        );
        await sendMessages(sqs, queueUrl, messages);

        const mapping = pollQueue({ sqs, queueUrl, queueArn, concurrency: 2, handler });
        await until('the queue is empty', async () => {
          const { visible, inFlight } = await readDepth(sqs, queueUrl);
          return visible + inFlight === 0;
        });
        await mapping.stop();

        expect(failuresLeft).toBe(0);
        expect(done).toEqual({ a: numbers, b: numbers, c: numbers, d: numbers });
      });

      it('a FIFO queue keeps that order too where failures wait and dead letters are sent at once', async () => {
        const { queueUrl, queueArn } = await createQueue(sqs, {
          visibilityTimeoutSeconds: 120,
          isFifo: true,
        });
        const dead = await createQueue(sqs, { visibilityTimeoutSeconds: 120, isFifo: true });
        const client = new SQS({ ...emulatorClientConfig, endpoint: queues.endpoint });
        const done: Record<string, number[]> = { a: [], b: [], c: [] };
        const failuresLeft: Record<string, number> = { a2: 2, b1: 1 };
        const handler = createBatchProcessor<{ group: string; number: number }>(
          ({ body: { group, number } }) => {
            const left = failuresLeft[`${group}${number}`] ?? 0;
            if (left > 0) {
              failuresLeft[`${group}${number}`] = left - 1;
              throw left === 2 ? new RetryLaterError({ delayMs: 1_500 }) : new Error('not yet');
            }
            if (group === 'c' && number === 2) throw new PermanentError('never');
            done[group]?.push(number);
          },
          {
            store: dynamoDBStore({ client: dynamoDB, tableName: await createClaimsTable(dynamoDB) }),
            observer: { onEvent: () => undefined },
            sqs: client,
            queueUrl,
            visibility: backoff({ baseDelayMs: 500, maxDelayMs: 1_000 }),
            deadLetter: deadLetterQueue({ url: dead.queueUrl }),
          },
        );
        const messages = [1, 2, 3, 4].flatMap((number) =>
          Object.keys(done).map((group) => ({
            body: JSON.stringify({ group, number }),
            messageGroupId: group,
          })),
        );
        await sendMessages(sqs, queueUrl, messages);

        // Well within the queue's own two minutes: it is the back-off that shows what failed again.
        const mapping = pollQueue({ sqs, queueUrl, queueArn, concurrency: 2, handler });
        await until(
          'the queue is empty',
          async () => {
            const { visible, inFlight } = await readDepth(sqs, queueUrl);
            return visible + inFlight === 0;
          },
          100_000,
        );
        await mapping.stop();
        client.destroy();

        expect(failuresLeft).toEqual({ a2: 0, b1: 0 });
        expect(done).toEqual({ a: [1, 2, 3, 4], b: [1, 2, 3, 4], c: [1, 3, 4] });
        expect((await readDepth(sqs, dead.queueUrl)).visible).toBe(1);
      });
    },
  );
}

function sentAs({ sent }: OrdersJob, peculiarity: Peculiarity) {
  return sent.filter((message) => message.peculiarity === peculiarity);
}

function ordersThatCanBeCharged(job: OrdersJob): Set<string | undefined> {
  const chargeable = ['none', 'declined-twice', 'kills-its-process'] as const;
  return new Set(chargeable.flatMap((peculiarity) => sentAs(job, peculiarity)).map(({ orderId }) => orderId));
}
