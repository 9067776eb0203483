/**
 * A program that is killed: it places orders with their messages, relays and sweeps the outbox, and consumes what was
 * sent. Each effect is a row of its own, so that a second one would be seen.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createBatchProcessor } from 'batchlatch';
import { commit, CommitRefusedError, dynamoDBStore } from 'batchlatch/dynamodb';
import { dynamoDBOutbox, relay, sweepOutbox } from 'batchlatch/outbox';
import { createSender } from 'batchlatch/sender';
import { isRow, orders, storedIn, streamOf } from './outbox-rows.ts';
import { pollQueue } from './poll-queue.ts';

/** The program's only argument, as JSON. */
export interface OutboxWorkerSetup {
  readonly claims: string;
  readonly outbox: string;
  readonly effects: string;
  readonly source: { readonly queueUrl: string; readonly queueArn: string };
  readonly target: { readonly queueUrl: string; readonly queueArn: string };
}

/** A message of the source queue. */
export interface WantedOrder {
  readonly orderId: string;
  readonly tenantId: string;
  /** Whether the numbers of its group order it. */
  readonly isInOrder: boolean;
  /** Its transaction is refused, so nothing may be sent. */
  readonly isRefused: boolean;
}

process.on('disconnect', () => process.exit());

const setup = JSON.parse(process.argv[2] ?? '') as OutboxWorkerSetup;
const sqs = new SQSClient({});
const dynamoDB = new DynamoDBClient({});
const outbox = dynamoDBOutbox({ tableName: setup.outbox, messages: orders });
const sender = createSender(orders, { queueUrl: setup.target.queueUrl });
const common = {
  store: dynamoDBStore({ tableName: setup.claims }),
  leaseMs: 2_000,
  maxAttempts: 1_000,
  observer: { onEvent: () => undefined },
};

const place = createBatchProcessor<WantedOrder>(
  async ({ body: { orderId, tenantId, isInOrder, isRefused } }, context) => {
    const order = {
      Put: {
        TableName: setup.effects,
        Item: { orderId, run: 'placed' },
        ConditionExpression: isRefused ? 'attribute_exists(orderId)' : 'attribute_not_exists(orderId)',
      },
    };
    const body = { orderId, tenantId };
    try {
      if (isInOrder)
        await commit(context, [order, ...(await outbox.inOrder([{ type: 'OrderPlaced', body }]))]);
      else await commit(context, [order, outbox.message('OrderPlaced', body)]);
    } catch (error) {
      if (!isRefused || !(error instanceof CommitRefusedError)) throw error;
    }
  },
  { ...common, namespace: 'place', key: ({ body }) => body.orderId, concurrency: 1 },
);

const consume = createBatchProcessor<{ orderId: string }>(
  async ({ body }, context) => {
    const Item = { orderId: body.orderId, run: randomUUID() };
    await commit(context, [{ Put: { TableName: setup.effects, Item } }]);
  },
  { ...common, namespace: 'consume', key: ({ attributes }) => attributes['outboxId'] ?? '' },
);

pollQueue({ sqs, ...setup.source, handler: place });
pollQueue({ sqs, ...setup.target, handler: consume });

const table = { tableName: setup.outbox, write: () => undefined };
const relayed = relay(sender, table);
const sweep = sweepOutbox(sender, { ...table, olderThanMs: 0 });

process.send?.('started');
while (true) {
  const rows = (await storedIn(dynamoDB, setup.outbox)).filter(isRow);
  // A batch of the stream, and at times the sweep beside it.
  const sweeping = rows.length % 3 === 0 ? sweep() : undefined;
  const event = streamOf(rows);
  if (rows.length > 0) await relayed(event);
  await sweeping;
  await delay(20);
}
