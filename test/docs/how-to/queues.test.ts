import { S3 } from '@aws-sdk/client-s3';
import { ChangeMessageVisibilityBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import type { BatchProcessor } from 'batchlatch';
import { lambdaContext, s3Event, sqsEvent } from 'batchlatch/testing';
import type { Worker } from 'batchlatch/worker';
import { interceptLocalhostDns } from 'fauxqs';
import { type EmulatedQueue, emulatedQueues } from '../../support/emulated-queues.ts';
import { exampleTable } from '../../support/example-table.ts';
import { until } from '../../support/until.ts';
import { pageFiles } from '../page-files.ts';

exampleTable();
const queues = emulatedQueues();
// fauxqs names its queues in a domain that not every machine can resolve, and knows them by that name alone.
const stopResolving = interceptLocalhostDns();
const pages = Object.fromEntries(
  ['fan-out', 'large-files', 'off-lambda', 'order-per-customer', 'poison-messages', 'rate-limits'].map(
    (name) => [name, pageFiles(`docs/how-to/${name}.md`)],
  ),
);
const load = async <Module>(page: string, file: string): Promise<Module> =>
  (pages[page] as ReturnType<typeof pageFiles>).load<Module>(file);
const ALL_DONE = { batchItemFailures: [] };

let dead: EmulatedQueue;
beforeAll(async () => {
  dead = await queues.create();
  for (const service of ['SQS', 'S3'])
    process.env[`AWS_ENDPOINT_URL_${service}`] = new URL(dead.queueUrl).origin;
  process.env['DEAD_LETTERS_URL'] = dead.queueUrl;
});
afterAll(() => stopResolving());

it('docs/how-to/rate-limits.md: a message comes again when the API wants it', async () => {
  const { handler } = await load<{ handler: BatchProcessor }>('rate-limits', 'sync-customers.ts');
  const sqs = mockClient(SQSClient);
  sqs.on(ChangeMessageVisibilityBatchCommand).resolves({ Successful: [], Failed: [] });
  const limited = () => Promise.resolve(new Response('', { status: 429, headers: { 'retry-after': '7' } }));
  const api = jest.spyOn(globalThis, 'fetch').mockImplementationOnce(limited);
  api.mockImplementation(() => Promise.resolve(new Response('')));
  const event = sqsEvent([{ messageId: 'm-1', body: { customerId: 'c-1', version: 1 } }]);

  expect(await handler(event, lambdaContext())).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }] });
  const [call] = sqs.commandCalls(ChangeMessageVisibilityBatchCommand);
  expect(call?.args[0].input.Entries).toMatchObject([{ VisibilityTimeout: 7 }]);
  expect(await handler(event, lambdaContext())).toEqual(ALL_DONE);
  expect(api).toHaveBeenCalledTimes(2);
  api.mockRestore();
  sqs.restore();
});

it('docs/how-to/fan-out.md: an order that is sent twice to a queue is worked once', async () => {
  const stock = await queues.create();
  const lateUrl = `${stock.queueUrl}-late`;
  process.env['QUEUE_URLS'] = [stock.queueUrl, lateUrl].join(',');
  const { handler } = await load<{ handler: BatchProcessor }>('fan-out', 'fan-out.ts');
  const event = sqsEvent([{ messageId: 'm-1', body: { orderId: '1' } }]);
  expect(await handler(event, lambdaContext())).not.toEqual(ALL_DONE); // the second queue does not exist yet
  await queues.sqs.createQueue({ QueueName: lateUrl.split('/').at(-1) });
  expect(await handler(event, lambdaContext())).toEqual(ALL_DONE);

  const { reserveStock, sendReceipt, work } = await load<{
    readonly reserveStock: BatchProcessor;
    readonly sendReceipt: BatchProcessor;
    readonly work: Record<'reserveStock' | 'sendReceipt', () => Promise<void>>;
  }>('fan-out', 'consumers.ts');
  const [reserved, sent] = [jest.spyOn(work, 'reserveStock'), jest.spyOn(work, 'sendReceipt')];
  const delivered = await stock.receive();
  expect(delivered.Records).toHaveLength(2);
  expect(await reserveStock(delivered, lambdaContext())).toEqual(ALL_DONE);
  expect(await sendReceipt(delivered, lambdaContext())).toEqual(ALL_DONE); // in the same table
  expect([reserved.mock.calls.length, sent.mock.calls.length]).toEqual([1, 1]);
});

it('docs/how-to/order-per-customer.md: a failure holds back its customer alone', async () => {
  const queue = await queues.create({ fifo: true });
  process.env['EVENTS_URL'] = queue.queueUrl;
  const { sendEvent } = await load<{ sendEvent(event: object): Promise<void> }>(
    'order-per-customer',
    'send-event.ts',
  );
  const { handler, accounts } = await load<{
    readonly handler: BatchProcessor;
    readonly accounts: { apply(event: { readonly eventId: string }): Promise<void> };
  }>('order-per-customer', 'apply-events.ts');
  const applied: string[] = [];
  let isBroken = true;
  accounts.apply = async ({ eventId }) => {
    if (eventId === 'a-1' && isBroken) throw new Error('The account is locked');
    applied.push(eventId);
  };
  const events = ['a-1', 'a-2', 'b-1', 'b-2'].map((eventId) => ({
    eventId,
    customerId: eventId.slice(0, 1),
  }));
  for (const event of events) await sendEvent(event);
  const groups = (await queue.receive()).Records.map(({ attributes }) => attributes.MessageGroupId);
  expect(new Set(groups)).toEqual(new Set(['a', 'b']));
  // fauxqs gives one message of a group at a time, and SQS gives Lambda several.
  const event = sqsEvent(
    events.map((body) => ({ messageId: body.eventId, messageGroupId: body.customerId, body })),
    { fifo: true },
  );

  const response = await handler(event, lambdaContext());
  expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: 'a-1' }, { itemIdentifier: 'a-2' }] });
  expect(applied).toEqual(['b-1', 'b-2']);

  isBroken = false;
  expect(await handler(event, lambdaContext())).toEqual(ALL_DONE);
  expect(applied).toEqual(['b-1', 'b-2', 'a-1', 'a-2']);
});

it('docs/how-to/poison-messages.md: what cannot succeed becomes a dead letter, and the others are charged', async () => {
  const { handler, payments } = await load<{
    readonly handler: BatchProcessor;
    readonly payments: { charge(order: { readonly orderId: string }): Promise<string> };
  }>('poison-messages', 'charge-orders.ts');
  const charged: string[] = [];
  payments.charge = async ({ orderId }) => {
    if (orderId === 'flaky') throw new Error('The provider is away');
    charged.push(orderId);
    return orderId === 'unknown' ? 'unknown-card' : 'charged';
  };
  const queue = await queues.create();
  for (const orderId of ['good', 'unknown', 'flaky']) await queue.send({ orderId, amountCents: 1 });
  await queue.send({ orderId: 'bad', amountCents: -1 });
  let { Records } = await queue.receive();
  expect(Records).toHaveLength(4);

  for (let delivery = 1; delivery <= 4; delivery += 1) {
    const response = await handler({ Records }, lambdaContext());
    const failed = response?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    Records = Records.filter(({ messageId }) => failed?.includes(messageId));
    expect(Records).toHaveLength(delivery < 4 ? 1 : 0); // the flaky one, until its fourth attempt
  }

  expect(charged.toSorted()).toEqual(['good', 'unknown']);
  const letters = (await dead.receive()).Records.map(
    ({ messageAttributes }) => messageAttributes['ErrorName'],
  );
  expect(letters.map((name) => name?.stringValue ?? '').toSorted()).toEqual([
    'Error',
    'InvalidBodyError',
    'PermanentError',
  ]);
});

describe('docs/how-to/large-files.md', () => {
  const Bucket = 'imports';
  const lines = Array.from({ length: 300 }, (_, index) => `${index};${'é'.repeat(index % 17)}`);

  it('imports each line of a file once, whatever part it is in, and however often the parts are sent', async () => {
    const parts = await queues.create();
    Object.assign(process.env, { PARTS_URL: parts.queueUrl, PART_BYTES: '700' });
    const s3 = new S3({ forcePathStyle: true });
    await s3.createBucket({ Bucket });
    const text = `${lines.join('\n')}\n`;
    const { ETag = '' } = await s3.putObject({ Bucket, Key: 'a.csv', Body: text });
    s3.destroy();
    const { handler: split } = await load<{ handler: BatchProcessor }>('large-files', 'split-file.ts');
    const { handler: importPart } = await load<{ handler: BatchProcessor }>('large-files', 'import-part.ts');
    const { saved } = await load<{ readonly saved: string[] }>('large-files', 'database.ts');

    const notification = s3Event([{ bucket: Bucket, key: 'a.csv', size: Buffer.byteLength(text) }]);
    Object.assign(notification.Records[0]?.s3.object ?? {}, { eTag: ETag.replaceAll('"', '') });
    const event = sqsEvent([{ body: notification }]);
    expect(await split(event, lambdaContext())).toEqual(ALL_DONE);

    let received = 0;
    for (let batch = await parts.receive(); batch.Records.length > 0; batch = await parts.receive()) {
      received += batch.Records.length;
      expect(await importPart(batch, lambdaContext())).toEqual(ALL_DONE);
      expect(await importPart(batch, lambdaContext())).toEqual(ALL_DONE);
    }
    expect(received).toBe(Math.ceil(Buffer.byteLength(text) / 700));
    expect(saved.toSorted()).toEqual(lines.toSorted());
  });

  it('imports nothing in a part in which no line begins: the last line has no end, and began before', async () => {
    const s3 = new S3({ forcePathStyle: true });
    const { ETag = '' } = await s3.putObject({ Bucket, Key: 'b.csv', Body: 'order-1\norder-2' });
    s3.destroy();
    const { handler } = await load<{ handler: BatchProcessor }>('large-files', 'import-part.ts');
    const { saved } = await load<{ readonly saved: string[] }>('large-files', 'database.ts');
    saved.length = 0;

    const part = { bucket: Bucket, key: 'b.csv', eTag: ETag.replaceAll('"', '') };
    const event = sqsEvent([{ body: { ...part, from: 0, to: 12 } }, { body: { ...part, from: 12, to: 15 } }]);
    expect(await handler(event, lambdaContext())).toEqual(ALL_DONE);
    expect(saved).toEqual(['order-1', 'order-2']);
  });

  it('parks a part whose last line is longer than what is read behind it: its end would be lost', async () => {
    const s3 = new S3({ forcePathStyle: true });
    const text = `order-1\n${'x'.repeat(70_000)}\norder-3\n`;
    const { ETag = '' } = await s3.putObject({ Bucket, Key: 'c.csv', Body: text });
    s3.destroy();
    const { handler } = await load<{ handler: BatchProcessor }>('large-files', 'import-part.ts');
    const { saved } = await load<{ readonly saved: string[] }>('large-files', 'database.ts');
    saved.length = 0;

    const part = { bucket: Bucket, key: 'c.csv', eTag: ETag.replaceAll('"', '') };
    const long = { messageId: 'long', body: { ...part, from: 0, to: 700 } };
    const event = sqsEvent([long, { body: { ...part, from: 70_000, to: text.length } }]);
    expect(await handler(event, lambdaContext())).toEqual({
      batchItemFailures: [{ itemIdentifier: 'long' }],
    });
    expect(saved).toEqual(['order-3']);
  });
});

it('docs/how-to/off-lambda.md: the worker runs the handler on the messages of the queue', async () => {
  const queue = await queues.create();
  Object.assign(process.env, { QUEUE_URL: queue.queueUrl, HEALTH_PORT: '0' });
  const { payments } = await load<{ payments: { charge(order: object): Promise<void> } }>(
    'off-lambda',
    'orders.ts',
  );
  const charge = jest.spyOn(payments, 'charge');
  for (const orderId of ['1', '2']) await queue.send({ orderId: `of the worker ${orderId}` });
  const { worker } = await load<{ worker: Worker }>('off-lambda', 'worker.ts');
  try {
    await until('both messages are deleted', () => worker.counters.deleted === 2);
    await queue.send({ orderId: 'of the worker 1' });
    await until('the duplicate is deleted', () => worker.counters.deleted === 3);
  } finally {
    const stopped = worker.stop();
    await queue.send({ orderId: 'of another worker' }); // ends the receive that is open
    await stopped;
  }
  expect(charge).toHaveBeenCalledTimes(2);
});
