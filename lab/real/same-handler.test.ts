import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Order } from '../../examples/orders/order.ts';
import { createOrdersTables, type OrdersTables } from '../../test/support/orders-stack.ts';
import { readChargedOrders, readClaims, readDepth, readMessageIds } from '../local/demo/stored-orders.ts';
import { DisposeStack } from '../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { startChild } from '../../packages/cli/src/dev/emulators/child-process.ts';
import {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { startSqsMapping } from '../../packages/cli/src/dev/mappings/sqs-mapping.ts';
import { sdkQueue } from '../../packages/cli/src/dev/mappings/sqs-sdk-queue.ts';
import { freePort } from '../../packages/cli/src/dev/emulators/free-port.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { dynamoDBLocal, startDynamoDBLocal } from '../../test/support/components/dynamodb-local.ts';
import { elasticMQ, startElasticMQ } from '../../test/support/components/elasticmq.ts';
import { startLambdaRuntime } from '../../test/support/components/lambda-runtime.ts';
import { lambdaRuntime } from '../../test/support/components/lambda-toolchain.ts';
import { createQueue, type Queue } from './support/create-queue.ts';
import { builtFunctions, samCli } from './support/sam-cli.ts';
import { sendMessages } from './support/send-messages.ts';
import { until } from './support/until.ts';

/** Where examples/orders/orders-queue.ts runs, and what it works on. */
interface Place {
  readonly sqs: SQSClient;
  readonly queue: Pick<Queue, 'queueUrl' | 'deadLetterQueueUrl'>;
  readonly dynamoDB: DynamoDBClient;
  readonly tables: OrdersTables;
}

/** What `batchlatch dev --json` says once all of the template runs. */
interface DevReady {
  readonly queues: { readonly OrdersQueue: string; readonly OrdersDeadLetterQueue: string };
  readonly tables: { readonly ClaimsTable: string; readonly ChargesTable: string };
  readonly endpoints: { readonly AWS_ENDPOINT_URL_SQS: string; readonly AWS_ENDPOINT_URL_DYNAMODB: string };
}

const WITHIN_MS = 180_000;
/** The template's queue, its times shortened. */
const QUEUE = { visibilityTimeoutSeconds: 5, maxReceiveCount: 3 } as const;

describeWith([lambdaRuntime, samCli, dynamoDBLocal, elasticMQ], 'the handler of examples/orders', () => {
  const shared = new DisposeStack();
  let databaseEndpoint: string;
  let dynamoDB: DynamoDBClient;
  let sqs: SQSClient;
  beforeAll(async () => {
    await lambdaRuntime.install();
    await samCli.install();
    const [database, queues] = await Promise.all([startDynamoDBLocal(), startElasticMQ()]);
    shared.defer(() => database.stop());
    shared.defer(() => queues.stop());
    databaseEndpoint = database.endpoint;
    dynamoDB = emulatorClient(database.endpoint);
    sqs = new SQSClient({ ...emulatorClientConfig, endpoint: queues.endpoint });
    shared.defer(() => dynamoDB.destroy());
    shared.defer(() => sqs.destroy());
  }, INSTALL_TIMEOUT_MS);
  afterAll(() => shared.run());

  let cleanup: DisposeStack;
  beforeEach(() => {
    cleanup = new DisposeStack();
  });
  afterEach(() => cleanup.run());

  it(
    'charges each order once in the worker, and gives up what cannot be charged',
    async () => {
      await expectOrdersToBeCharged(await inTheWorker());
    },
    WITHIN_MS,
  );

  it(
    "charges each order once in AWS's runtime interface emulator, and gives up what cannot be charged",
    async () => {
      await expectOrdersToBeCharged(await inTheRuntime());
    },
    WITHIN_MS,
  );

  it(
    'charges each order once under `batchlatch dev`, and gives up what cannot be charged',
    async () => {
      await expectOrdersToBeCharged(await inDev());
    },
    WITHIN_MS,
  );

  /** `batchlatch work`, on the sources. */
  async function inTheWorker(): Promise<Place> {
    const { queue, tables } = await resources();
    const port = await freePort();
    const child = await startChild({
      name: 'batchlatch work',
      command: process.execPath,
      args: [
        '--import',
        'tsx',
        'packages/cli/src/cli/batchlatch.ts',
        'work',
        'examples/orders/orders-queue.ts',
        '--queue-url',
        queue.queueUrl,
        '--wait-time-seconds',
        '1',
        '--health-port',
        String(port),
      ],
      env: { ...process.env, ...environmentOf(tables) },
      isReady: async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok,
    });
    cleanup.defer(() => child.stop());
    return { sqs, queue, dynamoDB, tables };
  }

  /** The bundle of `sam build`, as Lambda runs it. */
  async function inTheRuntime(): Promise<Place> {
    const { queue, tables } = await resources();
    const runtime = await startLambdaRuntime({
      node: 22,
      folder: join(await builtFunctions(), 'OrdersFunction'),
      handler: 'orders-queue.handler',
      functionName: 'OrdersFunction',
      timeoutSeconds: 10,
      environment: environmentOf(tables),
    });
    cleanup.defer(() => runtime.stop());
    const mapping = startSqsMapping({
      queue: sdkQueue(sqs, queue.queueUrl),
      queueArn: queue.queueArn,
      reportsBatchItemFailures: true,
      maximumConcurrency: 1,
      invoke: async (event) => ({ ok: true, payload: await runtime.invoke(event) }),
    });
    cleanup.defer(() => mapping.stop());
    return { sqs, queue, dynamoDB, tables };
  }

  /** The project's own template. */
  async function inDev(): Promise<Place> {
    let output = '';
    const child = await startChild({
      name: 'batchlatch dev',
      command: process.execPath,
      args: [
        '--import',
        'tsx',
        'packages/cli/src/cli/batchlatch.ts',
        'dev',
        '--json',
        '--no-reload',
        '--function',
        'OrdersFunction',
        '--parameter-overrides',
        `MaxReceiveCount=${QUEUE.maxReceiveCount}`,
      ],
      isReady: async () => output.includes('"type":"ready"'),
      onOutput: (text) => (output += text),
    });
    cleanup.defer(() => child.stop());
    const ready = JSON.parse(
      output.split('\n').find((line) => line.includes('"type":"ready"')) ?? '',
    ) as DevReady;
    const inPlace = new SQSClient({
      ...emulatorClientConfig,
      endpoint: ready.endpoints.AWS_ENDPOINT_URL_SQS,
    });
    cleanup.defer(() => inPlace.destroy());
    const database = emulatorClient(ready.endpoints.AWS_ENDPOINT_URL_DYNAMODB);
    cleanup.defer(() => database.destroy());
    const { OrdersQueue: queueUrl, OrdersDeadLetterQueue: deadLetterQueueUrl } = ready.queues;
    const VisibilityTimeout = String(QUEUE.visibilityTimeoutSeconds);
    await inPlace.send(
      new SetQueueAttributesCommand({ QueueUrl: queueUrl, Attributes: { VisibilityTimeout } }),
    );
    const { ClaimsTable: claims, ChargesTable: charges } = ready.tables;
    return {
      sqs: inPlace,
      queue: { queueUrl, deadLetterQueueUrl },
      dynamoDB: database,
      tables: { claims, charges },
    };
  }

  async function resources(): Promise<{ queue: Queue; tables: OrdersTables }> {
    const [queue, tables] = await Promise.all([
      createQueue(sqs, QUEUE),
      createOrdersTables(dynamoDB, randomUUID()),
    ]);
    return { queue, tables };
  }

  function environmentOf(tables: OrdersTables): Record<string, string> {
    return {
      ...emulatorEnvironment,
      CLAIMS_TABLE_NAME: tables.claims,
      CHARGES_TABLE_NAME: tables.charges,
      AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
    };
  }
});

/** Sends orders: forty, ten of them again, five with an amount that cannot be charged, five that cannot be read. */
async function expectOrdersToBeCharged({ sqs, queue, dynamoDB, tables }: Place): Promise<void> {
  const good = Array.from({ length: 40 }, () => anOrder());
  const wrong = Array.from({ length: 5 }, () => anOrder({ amountCents: -1 }));
  const bodies = [...good, ...good.slice(0, 10), ...wrong].map((order) => JSON.stringify(order));
  const unreadable = Array.from({ length: 5 }, (_, index) => `{"orderId": "unreadable-${index}"`);
  const ids = await sendMessages(
    sqs,
    queue.queueUrl,
    [...bodies, ...unreadable].map((body) => ({ body })),
  );
  // In the worker a duplicate that met its original while that ran stays hidden until the lease is over.
  await until('the queue is empty', async () => {
    const { visible, inFlight } = await readDepth(sqs, queue.queueUrl);
    return visible + inFlight === 0;
  });
  expect((await readChargedOrders(dynamoDB, tables.charges)).toSorted()).toEqual(idsOf(good));
  expect(await readMessageIds(sqs, queue.deadLetterQueueUrl)).toEqual(new Set(ids.slice(50)));
  const claims = await readClaims(dynamoDB, tables.claims);
  expect(countBy(claims.map(({ status }) => status))).toEqual({ COMPLETED: 40, PARKED: 5 });
}

function anOrder(members: Partial<Order> = {}): Order {
  return {
    orderId: `order-${randomUUID()}`,
    customerId: 'customer',
    amountCents: 100,
    currency: 'EUR',
    ...members,
  };
}

function idsOf(orders: readonly Order[]): string[] {
  return orders.map(({ orderId }) => orderId).toSorted();
}

function countBy(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
