import { inDynamoDB } from '../../test/support/store-and-admin.ts';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CreateTableCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimsTableDefinition } from 'batchlatch/dynamodb';
import { createClaimMonitor } from 'batchlatch/monitor';
import { keyHash, type ClaimAdmin } from 'batchlatch/operations';
import { DisposeStack } from '../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { startSqsMapping } from '../../packages/cli/src/dev/mappings/sqs-mapping.ts';
import { sdkQueue } from '../../packages/cli/src/dev/mappings/sqs-sdk-queue.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { chargesTableDefinition } from '../../test/support/orders-stack.ts';
import { createQueue, type Queue } from './support/create-queue.ts';
import { emulatorClient } from '../../test/support/claims-table.ts';
import type { DrillOrder } from '../../test/support/drill-function.ts';
import { startFunction, type StartedFunction } from '../../test/support/started-function.ts';
import { transportEnvironment } from '../../test/support/transports.ts';
import { until } from '../../test/support/until.ts';

const CLAIMS = 'claims';
const CHARGES = 'charges';
const REASON = ['--reason', 'customers were imported', '--operator', 'ann@laptop', '--yes'];
const ORDERS: readonly DrillOrder[] = [
  { orderId: 'fine-1' },
  { orderId: 'fine-2' },
  { orderId: 'parked-1', bug: 'parks' },
  { orderId: 'parked-2', bug: 'parks' },
  { orderId: 'uncharged', bug: 'hangs-before-charge' },
  { orderId: 'charged', bug: 'hangs-after-charge' },
];
const keyOf = (orderId: string): string => `orders#v1:${orderId}`;

/**
 * A night with a bug and a worker that is killed, as a test: what hangs and what is parked is reported, found, and put in
 * order from the command line, and in the end every order is charged once.
 */
describe('a fault drill', () => {
  const cleanup = new DisposeStack();
  let endpoints: Record<'AWS_ENDPOINT_URL_DYNAMODB' | 'AWS_ENDPOINT_URL_SQS', string>;
  let dynamoDB: DynamoDBClient;
  let store: ClaimAdmin;
  let sqs: SQS;
  let queue: Queue;
  let worker: StartedFunction;

  beforeAll(async () => {
    const [database, queues] = await Promise.all([startDynamoDBEmulator('dynoxide'), startSqsEmulator()]);
    cleanup.defer(database.stop);
    cleanup.defer(queues.stop);
    endpoints = { AWS_ENDPOINT_URL_DYNAMODB: database.endpoint, AWS_ENDPOINT_URL_SQS: queues.endpoint };
    dynamoDB = emulatorClient(database.endpoint);
    sqs = new SQS({ ...emulatorClientConfig, endpoint: queues.endpoint });
    cleanup.defer(() => {
      dynamoDB.destroy();
      sqs.destroy();
    });
    const { table } = claimsTableDefinition(CLAIMS, undefined, { overdueIndex: true });
    await dynamoDB.send(new CreateTableCommand(table));
    await dynamoDB.send(new CreateTableCommand(chargesTableDefinition(CHARGES)));
    store = inDynamoDB({ tableName: CLAIMS, client: dynamoDB, overdueIndex: true });
    queue = await createQueue(sqs, { visibilityTimeoutSeconds: 4, maxReceiveCount: 1 });
    await sqs.sendMessageBatch({
      QueueUrl: queue.queueUrl,
      Entries: ORDERS.map((order) => ({ Id: order.orderId, MessageBody: JSON.stringify(order) })),
    });
  });
  afterAll(() => cleanup.run());

  it('ends with every order charged once, and nothing that hangs or waits', async () => {
    await startWorker({ hasBugs: true });
    startQueue();
    await until('all is done but what hangs', async () => {
      const states = await Promise.all(ORDERS.map(({ orderId }) => store.read(keyOf(orderId))));
      const ends = ['COMPLETED', 'COMPLETED', 'PARKED', 'PARKED', 'IN_PROGRESS', 'IN_PROGRESS'];
      return states.every((claim, index) => claim?.status === ends[index]) && (await charges()).length === 3;
    });
    await worker.stop();
    await until('nobody holds the two any more', async () => (await overdue()).length === 2);
    await until('the queue has given up on all six', async () => (await depths()).dead === ORDERS.length);

    // The monitor reports it.
    const lines: Record<string, unknown>[] = [];
    await createClaimMonitor({
      admin: store,
      tableName: CLAIMS,
      write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>),
    })();
    expect(lines[0]).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Namespace: 'batchlatch', Dimensions: [['table']] }] },
      table: CLAIMS,
      OverdueClaims: 2,
      ParkedClaims: 2,
      InProgressClaims: 0,
    });
    expect(hashesOf(lines, 'overdueClaim')).toEqual(hashes('charged', 'uncharged'));
    expect(hashesOf(lines, 'parkedClaim')).toEqual(hashes('parked-1', 'parked-2'));
    expect(JSON.stringify(lines)).not.toContain('orders#');

    // A person looks at what it reports.
    const [hanging, parked, letters] = await Promise.all([
      cli<{ claims: { key: string; attempt: number }[] }>('claims', 'list', '--state', 'overdue', '--json'),
      cli<{ claims: { key: string; error: object }[] }>('claims', 'list', '--state', 'parked', '--json'),
      cli<{ messages: object[] }>('dlq', 'list', ...onDeadLetters(), '--limit', '6', '--json'),
    ]);
    expect(hanging.claims.map(({ key }) => key).toSorted(byText)).toEqual(
      ['charged', 'uncharged'].map(keyOf),
    );
    expect(parked.claims).toMatchObject([
      { error: { message: 'no such customer' } },
      { error: { message: 'no such customer' } },
    ]);
    expect(letters.messages).toHaveLength(ORDERS.length);

    // The payment service says which of the two that hang was charged: it is done, and the other runs again.
    await Promise.all([
      cli('claims', 'resolve', keyOf('charged'), ...REASON, '--json'),
      cli('claims', 'release', keyOf('uncharged'), ...REASON, '--json'),
    ]);

    // The bugs are fixed. A busy machine may take long for what is left, and a receive is all that each message has.
    await sqs.setQueueAttributes({ QueueUrl: queue.queueUrl, Attributes: { VisibilityTimeout: '60' } });
    await startWorker({ hasBugs: false });
    const redriven = await cli('dlq', 'redrive', '--all', ...onDeadLetters(), ...REASON, '--json');
    expect(redriven).toMatchObject({ ended: 'whole', moved: ORDERS.length, released: 2, left: 0 });
    await until('both queues are empty', async () => {
      const { alive, dead } = await depths();
      return alive + dead === 0;
    });
    expect((await charges()).toSorted(byText)).toEqual(ORDERS.map(({ orderId }) => orderId).toSorted(byText));
    for (const { orderId } of ORDERS) {
      expect([orderId, (await store.read(keyOf(orderId)))?.status]).toEqual([orderId, 'COMPLETED']);
    }
    expect((await store.read(keyOf('parked-1')))?.history).toMatchObject([
      { operation: 'release', operator: 'ann@laptop', reason: 'customers were imported' },
    ]);
    const report = await createClaimMonitor({ admin: store, tableName: CLAIMS, write: () => undefined })();
    expect(report).toMatchObject({ overdue: 0, parked: 0, inProgress: 0 });
  });

  /** Starts a process with the function, to which the queue's messages go from now on. */
  async function startWorker({ hasBugs }: { hasBugs: boolean }): Promise<void> {
    worker = await startFunction({
      module: new URL('../../test/support/drill-function.ts', import.meta.url),
      environment: {
        ...transportEnvironment('direct'),
        ...endpoints,
        CLAIMS_TABLE_NAME: CLAIMS,
        CHARGES_TABLE_NAME: CHARGES,
        HAS_BUGS: hasBugs ? 'yes' : 'no',
      },
    });
    const { stop } = worker;
    cleanup.defer(stop);
  }

  function startQueue(): void {
    const { queueUrl, queueArn } = queue;
    const mapping = startSqsMapping({
      queue: sdkQueue(sqs, queueUrl),
      queueArn,
      maximumConcurrency: 1,
      reportsBatchItemFailures: true,
      invoke: (event) => worker.invoke(event),
    });
    cleanup.defer(mapping.stop);
  }

  /** `npx batchlatch …` in a process of its own, by the SDK, as it is where people have profiles; what it prints, as JSON. */
  async function cli<Printed>(...args: readonly string[]): Promise<Printed> {
    const program = fileURLToPath(new URL('../../packages/cli/src/cli/batchlatch.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', program, ...args, '--table', CLAIMS],
      { env: { ...process.env, ...emulatorEnvironment, ...transportEnvironment('sdk'), ...endpoints } },
    );
    return JSON.parse(stdout) as Printed;
  }

  const onDeadLetters = (): string[] => ['--queue-url', queue.deadLetterQueueUrl];
  const overdue = async () => (await store.list({ state: 'overdue' })).claims;

  async function charges(): Promise<(string | undefined)[]> {
    const { Items = [] } = await dynamoDB.send(new ScanCommand({ TableName: CHARGES }));
    return Items.map(({ orderId }) => orderId?.S);
  }

  async function depths(): Promise<{ alive: number; dead: number }> {
    const [alive, dead] = await Promise.all([queue.queueUrl, queue.deadLetterQueueUrl].map(depth));
    return { alive: alive ?? 0, dead: dead ?? 0 };
  }

  async function depth(QueueUrl: string): Promise<number> {
    const { Attributes = {} } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
    const { ApproximateNumberOfMessages: shown, ApproximateNumberOfMessagesNotVisible: hidden } = Attributes;
    return Number(shown) + Number(hidden);
  }
});

const byText = (one: string | undefined, other: string | undefined): number =>
  (one ?? '').localeCompare(other ?? '');
const hashes = (...orderIds: string[]): string[] =>
  orderIds.map((orderId) => keyHash(keyOf(orderId))).toSorted(byText);
const hashesOf = (lines: readonly Record<string, unknown>[], message: string): string[] =>
  lines
    .filter((line) => line['message'] === message)
    .map(({ key }) => String(key))
    .toSorted(byText);
