/**
 * A program that is killed: it places orders with their messages, relays the stream's batches that its parent sends,
 * sweeps the outbox, and consumes what was sent. Each effect is a row of its own, so that a second one would be seen.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SQSClient } from '@aws-sdk/client-sqs';
import { createBatchProcessor } from 'batchlatch';
import { commit, CommitRefusedError, dynamoDBStore } from 'batchlatch/dynamodb';
import { dynamoDBOutbox, relay, sweepOutbox } from 'batchlatch/outbox';
import { createSender } from 'batchlatch/sender';
import { laterClock } from './later-clock.ts';
import { orders } from './outbox-rows.ts';
import { pollQueue } from './poll-queue.ts';

/** The program's only argument, as JSON. */
export interface OutboxWorkerSetup {
  readonly claims: string;
  readonly outbox: string;
  readonly effects: string;
  readonly source: { readonly queueUrl: string; readonly queueArn: string };
  readonly target: { readonly queueUrl: string; readonly queueArn: string };
  /** Whether the outbox is swept. */
  readonly sweeps: boolean;
  /** How far its clocks are ahead. */
  readonly laterMs: number;
}

/** The end of a batch of the stream, as the parent hears of it. */
export type RelayedBatch = { readonly answer: unknown } | { readonly error: string };

/** A message of the source queue. */
export interface WantedOrder {
  readonly orderId: string;
  readonly tenantId: string;
  /** A message without a group, of a group, or of a group whose numbers order it. */
  readonly how: 'alone' | 'of a group' | 'in order';
  /** Its transaction is refused, so nothing may be sent. */
  readonly isRefused: boolean;
}

process.on('disconnect', () => process.exit());

const setup = JSON.parse(process.argv[2] ?? '') as OutboxWorkerSetup;
const sqs = new SQSClient({});
const clock = laterClock(setup.laterMs);
const outbox = dynamoDBOutbox({ tableName: setup.outbox, messages: orders, clock });
const sender = createSender(orders, { queueUrl: setup.target.queueUrl });
const common = {
  store: dynamoDBStore({ tableName: setup.claims, clock }),
  clock,
  leaseMs: 2_000,
  maxAttempts: 1_000,
  observer: { onEvent: () => undefined },
};

const place = createBatchProcessor<WantedOrder>(
  async ({ body: { orderId, tenantId, how, isRefused } }, context) => {
    const order = {
      Put: {
        TableName: setup.effects,
        Item: { orderId, run: 'placed' },
        ConditionExpression: isRefused ? 'attribute_exists(orderId)' : 'attribute_not_exists(orderId)',
      },
    };
    const body = { orderId, tenantId };
    try {
      if (how === 'in order')
        await commit(context, [order, ...(await outbox.inOrder([{ type: 'OrderPlaced', body }]))]);
      else if (how === 'alone') await commit(context, [order, outbox.message('MailWanted', { to: orderId })]);
      else await commit(context, [order, outbox.message('OrderPlaced', body)]);
    } catch (error) {
      if (!isRefused || !(error instanceof CommitRefusedError)) throw error;
    }
  },
  { ...common, namespace: 'place', key: ({ body }) => body.orderId, concurrency: 1 },
);

const consume = createBatchProcessor<{ orderId: string } | { to: string }>(
  async ({ body }, context) => {
    const Item = { orderId: 'to' in body ? body.to : body.orderId, run: randomUUID() };
    await commit(context, [{ Put: { TableName: setup.effects, Item } }]);
  },
  { ...common, namespace: 'consume', key: ({ attributes }) => attributes['outboxId'] ?? '' },
);

pollQueue({ sqs, ...setup.source, handler: place });
pollQueue({ sqs, ...setup.target, handler: consume });

const table = { tableName: setup.outbox, clock, write: () => undefined };
const relayed = relay(sender, table);
process.on('message', (event) => {
  relayed(event).then(
    (answer) => process.send?.({ answer } satisfies RelayedBatch),
    (error: unknown) => process.send?.({ error: String(error) } satisfies RelayedBatch),
  );
});

// A second in place of a minute.
const sweep = sweepOutbox(sender, { ...table, olderThanMs: 1_000 });
while (setup.sweeps) {
  await sweep();
  await delay(200);
}
