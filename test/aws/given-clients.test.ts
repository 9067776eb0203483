import { DynamoDB, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Lambda, LambdaClient } from '@aws-sdk/client-lambda';
import { CreateBucketCommand, S3, S3Client } from '@aws-sdk/client-s3';
import { SQS, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { backoff, createBatchProcessor, deadLetterQueue, PermanentError } from 'batchlatch';
import { startDurable } from 'batchlatch/durable';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { memoryStore } from 'batchlatch/memory';
import { peekDeadLetters, redriveDeadLetters } from 'batchlatch/operations';
import { s3Results } from 'batchlatch/s3';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { createWorker } from 'batchlatch/worker';
import { emulatorClientConfig } from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { lambdaService } from '../durable/lambda-service.ts';
import { claimRequest } from '../support/claim-builders.ts';
import { type EmulatedQueue, emulatedQueues } from '../support/emulated-queues.ts';
import { emulatedTable } from '../support/emulated-table.ts';
import { until } from '../support/until.ts';

const quiet = { observer: { onEvent: () => undefined } };

describe.each(['SQS', 'SQSClient'] as const)('new %s()', (kind) => {
  const queues = emulatedQueues();
  let queue: EmulatedQueue;
  let client: SQS | SQSClient;
  beforeAll(async () => {
    queue = await queues.create();
    const endpoint = `http://127.0.0.1:${new URL(queue.queueUrl).port}`;
    const config = { ...emulatorClientConfig, endpoint, useQueueUrlAsEndpoint: false };
    client = kind === 'SQS' ? new SQS(config) : new SQSClient(config);
  });
  afterAll(() => client.destroy());

  it('makes a processor send dead letters and put off what failed', async () => {
    const dead = await queues.create();
    const handler = createBatchProcessor<{ fails: string }>(
      ({ body }) => {
        throw body.fails === 'for good' ? new PermanentError('for good') : new Error('for now');
      },
      {
        ...quiet,
        store: memoryStore(),
        sqs: client,
        queueUrl: () => queue.queueUrl,
        deadLetter: deadLetterQueue({ url: dead.queueUrl }),
        visibility: backoff({ baseDelayMs: 1, maxDelayMs: 1 }),
      },
    );
    await queue.send({ fails: 'for good' });
    await queue.send({ fails: 'for now' });
    const event = await queue.receive();
    expect(event.Records).toHaveLength(2);
    const { batchItemFailures } = await handler(event, lambdaContext());
    expect(batchItemFailures).toHaveLength(1);
    expect((await dead.receive()).Records.map(({ body }) => body)).toEqual(['{"fails":"for good"}']);
    await until('the other is visible again', async () => (await queue.receive()).Records.length > 0);
  });

  it('works a queue', async () => {
    const own = await queues.create();
    await own.send({ orderId: 'A' });
    const seen: unknown[] = [];
    const handler = createBatchProcessor(({ body }) => void seen.push(body), {
      ...quiet,
      store: memoryStore(),
    });
    const worker = createWorker({ queueUrl: own.queueUrl, handler, client, waitTimeSeconds: 1 });
    await worker.start();
    await until('the message is deleted', () => worker.counters.deleted === 1);
    await worker.stop();
    expect(seen).toEqual([{ orderId: 'A' }]);
  });

  it('shows dead letters and sends them again', async () => {
    const [dead, source] = [await queues.create(), await queues.create()];
    const store = memoryStore();
    await dead.send({ orderId: 'A' });
    const { messages } = await peekDeadLetters(client, { queueUrl: dead.queueUrl, admin: store });
    expect(messages).toHaveLength(1);
    const { moved } = await redriveDeadLetters(client, {
      queueUrl: dead.queueUrl,
      destinationUrl: source.queueUrl,
      admin: store,
      which: 'all',
      operator: 'ann',
      reason: 'fixed',
    });
    expect(moved).toBe(1);
    expect((await source.receive()).Records).toHaveLength(1);
  });
});

describe('A client of SQS', () => {
  it('is refused at start where it has neither the methods nor `send`', () => {
    const wrong = { sendMessage: () => undefined };
    expect(() =>
      createBatchProcessor(() => undefined, {
        // @ts-expect-error -- no client
        sqs: wrong,
        store: memoryStore(),
      }),
    ).toThrow('Expected `sqs` to be an object with changeMessageVisibilityBatch(), sendMessage(), or send()');
    expect(() =>
      createWorker({
        queueUrl: 'https://sqs',
        handler: async () => undefined,
        // @ts-expect-error -- no client
        client: wrong,
      }),
    ).toThrow('Expected `client` to be an object with');
  });
});

describe.each([
  ['DynamoDB', DynamoDB],
  ['DynamoDBClient', DynamoDBClient],
] as const)('new %s()', (_name, Client) => {
  const table = emulatedTable('dynalite');
  it('keeps claims', async () => {
    const client = new Client({ ...emulatorClientConfig, endpoint: table.endpoint });
    const store = dynamoDBStore({ tableName: table.tableName, client, writes: 'single' });
    expect(await store.acquire([claimRequest(Client.name)])).toMatchObject([{ status: 'acquired' }]);
    client.destroy();
  });
});

describe.each([
  ['S3', S3],
  ['S3Client', S3Client],
] as const)('new %s()', (_name, Client) => {
  let service: LocalService;
  beforeAll(async () => {
    service = await startSqsEmulator(); // which answers S3 calls too
  });
  afterAll(() => service.stop());

  it('keeps results', async () => {
    const client = new Client({ ...emulatorClientConfig, endpoint: service.endpoint, forcePathStyle: true });
    await client.send(new CreateBucketCommand({ Bucket: 'results' }));
    const storage = s3Results({ bucket: 'results', client });
    const pointer = await storage.put('key', 'owner', '"a result"');
    expect(await storage.get(pointer)).toBe('"a result"');
    client.destroy();
  });
});

describe.each([
  ['Lambda', Lambda],
  ['LambdaClient', LambdaClient],
] as const)('new %s()', (_name, Client) => {
  const lambda = lambdaService();

  it('starts durable executions', async () => {
    const client = new Client({ ...emulatorClientConfig, endpoint: lambda.endpoint });
    const handler = createBatchProcessor(
      startDurable({ functionName: 'fulfil-order', qualifier: 'live', client }),
      { ...quiet, store: memoryStore() },
    );
    expect(await handler(sqsEvent([{ body: {} }]), lambdaContext())).toEqual({ batchItemFailures: [] });
    expect(lambda.invocations).toHaveLength(1);
    client.destroy();
  });
});
