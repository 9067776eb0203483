import { GetQueueUrlCommand, type Message, SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { createWorker } from 'batchlatch/worker';
import { until } from '../support/until.ts';
import { checkedPrefix } from './checked-prefix.ts';

interface Order {
  readonly id: string;
}

const ORDERS = 100;
const prefix = checkedPrefix();
const idOf = (index: number): string => `order-${index}`;
/** Sent a second time, under another message id. */
const DUPLICATES = Array.from({ length: 10 }, (_, index) => idOf(index));
const FAILS_ONCE = idOf(50);
/** Its handler always fails: after three receives it is in the dead-letter queue. */
const HOPELESS = idOf(60);

let sqs: SQS;
let queueUrl = '';
let deadLetterUrl = '';
beforeAll(async () => {
  sqs = new SQS({});
  queueUrl = await urlOf('orders');
  deadLetterUrl = await urlOf('orders-dead');
});
afterAll(() => sqs.destroy());

it('does each of 100 orders once, duplicates and failures among them, and sends what cannot be done to the dead-letter queue', async () => {
  const effects: string[] = [];
  let failuresLeft = 1;
  const store = dynamoDBStore({ tableName: `${prefix}-claims` });
  const handler = createBatchProcessor<Order>(
    ({ body: { id } }) => {
      if (id === HOPELESS) throw new Error('declined');
      if (id === FAILS_ONCE && failuresLeft > 0) {
        failuresLeft -= 1;
        throw new Error('not yet');
      }
      effects.push(id);
    },
    {
      store,
      key: ({ body }) => body.id,
      namespace: 'aws-check',
      leaseMs: 10_000,
      observer: { onEvent: () => undefined },
    },
  );
  const all = [...Array.from({ length: ORDERS }, (_, index) => idOf(index)), ...DUPLICATES];
  for (let at = 0; at < all.length; at += 10) {
    const Entries = all.slice(at, at + 10).map((id, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify({ id }),
    }));
    const { Failed = [] } = await sqs.sendMessageBatch({ QueueUrl: queueUrl, Entries });
    expect(Failed).toEqual([]);
  }

  const worker = createWorker({ queueUrl, handler, waitTimeSeconds: 1 });
  await worker.start();
  const dead: Message[] = [];
  try {
    await until(
      'all orders are done, and the hopeless one is in the dead-letter queue',
      async () => {
        const { Messages = [] } = await sqs.receiveMessage({ QueueUrl: deadLetterUrl, WaitTimeSeconds: 1 });
        dead.push(...Messages);
        return new Set(effects).size === ORDERS - 1 && dead.length > 0;
      },
      110_000,
    );
  } finally {
    await worker.stop();
  }
  const hopeful = all.slice(0, ORDERS).filter((id) => id !== HOPELESS);
  expect(effects.toSorted()).toEqual(hopeful.toSorted());
  expect(dead.map(({ Body = '' }) => (JSON.parse(Body) as Order).id)).toEqual([HOPELESS]);
  expect(await store.inspect(`aws-check#v1:${idOf(0)}`)).toMatchObject({ status: 'COMPLETED', attempt: 1 });
  expect(await store.inspect(`aws-check#v1:${FAILS_ONCE}`)).toMatchObject({
    status: 'COMPLETED',
    attempt: 2,
  });
});

async function urlOf(queue: string): Promise<string> {
  const { QueueUrl = '' } = await sqs.send(new GetQueueUrlCommand({ QueueName: `${prefix}-${queue}` }));
  return QueueUrl;
}
