import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  type DynamoDBClient,
  CreateTableCommand,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { type JsonProxy, startJsonProxy } from '../../test/support/json-proxy.ts';
import { createOutboxTable, storedIn, isRow } from '../../test/support/outbox-rows.ts';
import type { OutboxWorkerSetup, WantedOrder } from '../../test/support/outbox-worker.ts';
import { type SqsProxy, startSqsProxy } from '../../test/support/sqs-proxy.ts';
import { until } from '../../test/support/until.ts';
import { bundleProgram } from './support/bundle-program.ts';
import { createQueue, type Queue } from './support/create-queue.ts';
import { sendMessages } from './support/send-messages.ts';
import { startComponent } from './support/start-component.ts';

/** Two at each point. `OUTBOX_KILLS=200 npm run lab:real -- outbox-dynamodb-kills` for more. */
const KILLS = Number(process.env['OUTBOX_KILLS'] ?? 28);

/** Every write and every send of the program. It is killed before each is carried out, and after, before the answer. */
const STEPS = [
  'claim',
  'commit with a message',
  'send',
  'note as sent',
  'delete the row',
  'commit the effect',
  'acknowledge',
] as const;
type Step = (typeof STEPS)[number];
const MOMENTS = ['before', 'after'] as const;
const POINTS = MOMENTS.flatMap((moment) => STEPS.map((step) => ({ step, moment })));

describeWith([componentNamed('dynamodb-local'), componentNamed('fauxqs')], 'A DynamoDB outbox', () => {
  let database: LocalService;
  let queues: LocalService;
  let client: DynamoDBClient;
  let sqs: SQS;
  let dynamoDBProxy: JsonProxy<object, object>;
  let sqsProxy: SqsProxy;
  let program: string;
  let setup: OutboxWorkerSetup;
  let source: Queue;
  let target: Queue;
  let worker: ChildProcess;
  let ended: Promise<unknown>;
  /** Where the running process is killed next. */
  let point: { readonly step: Step; readonly moment: 'before' | 'after' } | undefined;
  const killed = new Map<string, number>();
  /** Bodies, in the order in which the queue took them. */
  const sent: string[] = [];

  beforeAll(async () => {
    [database, queues, program] = await Promise.all([
      startComponent('dynamodb-local'),
      startComponent('fauxqs'),
      bundleProgram('outbox-worker', { usesSdk: true }),
    ]);
    client = emulatorClient(database.endpoint);
    sqs = new SQS({ ...emulatorClientConfig, endpoint: queues.endpoint });
    dynamoDBProxy = await startJsonProxy(database.endpoint, { finishes: true });
    sqsProxy = await startSqsProxy(queues.endpoint);
    source = await createQueue(sqs, { visibilityTimeoutSeconds: 3 });
    target = await createQueue(sqs, { visibilityTimeoutSeconds: 3 });
    const claims = await createClaimsTable(client);
    await createOutboxTable(client, 'outbox');
    await client.send(
      new CreateTableCommand({
        TableName: 'effects',
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'orderId', AttributeType: 'S' },
          { AttributeName: 'run', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'orderId', KeyType: 'HASH' },
          { AttributeName: 'run', KeyType: 'RANGE' },
        ],
      }),
    );
    const through = ({ queueUrl, queueArn }: Queue) => ({ queueUrl: sqsProxy.through(queueUrl), queueArn });
    setup = {
      claims,
      outbox: 'outbox',
      effects: 'effects',
      source: through(source),
      target: through(target),
    };
    dynamoDBProxy.interpose(async ({ operation, body }, ask) => killing(stepOf(operation, body), ask));
    sqsProxy.interpose(async ({ operation, body, input }, ask) =>
      killing(stepOf(operation, body), async () => {
        const answer = await ask();
        if (operation === 'SendMessageBatch') {
          for (const { MessageBody } of (
            input as { readonly Entries?: readonly { readonly MessageBody?: string }[] }
          ).Entries ?? [])
            sent.push(MessageBody ?? '');
        }
        return answer;
      }),
    );
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    worker.kill('SIGKILL');
    client.destroy();
    sqs.destroy();
    await Promise.all([dynamoDBProxy.stop(), sqsProxy.stop(), database.stop(), queues.stop()]);
  });

  /** Carries a request out, and kills the process if this is its point. */
  async function killing<Answer>(step: Step | undefined, ask: () => Promise<Answer>): Promise<Answer> {
    const isAt = (moment: 'before' | 'after'): boolean => {
      if (step === undefined || point?.step !== step || point.moment !== moment) return false;
      point = undefined;
      return true;
    };
    if (isAt('before')) await kill(step as Step, 'before');
    const answer = await ask(); // a refused request is not carried out: the next one is
    if (isAt('after')) await kill(step as Step, 'after');
    return answer;
  }

  async function kill(step: Step, moment: string): Promise<never> {
    worker.kill('SIGKILL');
    await ended;
    const name = `${moment}: ${step}`;
    killed.set(name, (killed.get(name) ?? 0) + 1);
    throw new Error('The process was killed');
  }

  function start(): void {
    worker = fork(program, [JSON.stringify(setup)], {
      execArgv: [],
      env: {
        PATH: process.env['PATH'],
        ...emulatorEnvironment,
        AWS_ENDPOINT_URL_DYNAMODB: dynamoDBProxy.endpoint,
        AWS_ENDPOINT_URL_SQS: sqsProxy.endpoint,
        AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    ended = once(worker, 'exit');
  }

  it(
    `has exactly one effect for each committed message, and none for another, after ${KILLS} kills`,
    async () => {
      const startedAt = performance.now();
      const wanted: WantedOrder[] = [];
      for (let count = 0; count < KILLS; count += 1) {
        const more = Array.from({ length: 3 }, (_, index): WantedOrder => {
          const number = count * 3 + index;
          return {
            orderId: `order-${String(number).padStart(5, '0')}`,
            tenantId: `tenant-${number % 4}`,
            isInOrder: number % 4 < 2,
            isRefused: number % 7 === 0,
          };
        });
        wanted.push(...more);
        await sendMessages(
          sqs,
          source.queueUrl,
          more.map((order) => ({ body: JSON.stringify(order) })),
        );
        point = POINTS[count % POINTS.length];
        start();
        await until(`the process is killed ${point?.moment}: ${point?.step}`, isKilled, 60_000);
      }
      point = undefined;
      const kills = [...killed.values()].reduce((sum, one) => sum + one, 0);
      start();
      await until('both queues and the outbox are empty', isDone, 60_000);
      worker.kill('SIGKILL');
      await ended;

      const committed = wanted.filter(({ isRefused }) => !isRefused).map(({ orderId }) => orderId);
      const { placed, consumed } = await effects();
      expect(placed).toEqual(committed);
      // Not as a set: a second effect of an order is a second entry.
      expect(consumed).toEqual(committed);
      expect(kills).toBe(KILLS);
      for (const { step, moment } of POINTS.slice(0, KILLS))
        expect(killed.get(`${moment}: ${step}`)).toBeGreaterThan(0);
      process.stderr.write(
        `${kills} kills, ${committed.length} messages, ${sent.length - committed.length} copies, ` +
          `${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`,
      );
    },
    KILLS * 10_000 + 120_000,
  );

  function isKilled(): boolean {
    if (worker.exitCode !== null) throw new Error('The process ended by itself');
    return worker.signalCode === 'SIGKILL';
  }

  async function isDone(): Promise<boolean> {
    const depths = await Promise.all([source, target].map(({ queueUrl }) => depth(queueUrl)));
    return (
      depths.every((one) => one === 0) && (await storedIn(client, 'outbox')).every((item) => !isRow(item))
    );
  }

  async function depth(QueueUrl: string): Promise<number> {
    const { Attributes = {} } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
    const { ApproximateNumberOfMessages: shown, ApproximateNumberOfMessagesNotVisible: hidden } = Attributes;
    return Number(shown) + Number(hidden);
  }

  async function effects(): Promise<{ placed: string[]; consumed: string[] }> {
    const placed: string[] = [];
    const consumed: string[] = [];
    let ExclusiveStartKey: ScanCommandInput['ExclusiveStartKey'];
    do {
      const page = await client.send(new ScanCommand({ TableName: 'effects', ExclusiveStartKey }));
      for (const { orderId, run } of page.Items ?? []) {
        (run?.S === 'placed' ? placed : consumed).push(orderId?.S ?? '');
      }
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return { placed: placed.toSorted(), consumed: consumed.toSorted() };
  }
});

function stepOf(operation: string, body: string): Step | undefined {
  switch (operation) {
    case 'BatchExecuteStatement':
      return body.includes('DELETE FROM') ? 'delete the row' : 'claim';
    case 'TransactWriteItems':
      return body.includes('"outboxId"') ? 'commit with a message' : 'commit the effect';
    case 'UpdateItem':
      return 'note as sent';
    case 'SendMessageBatch':
      return 'send';
    case 'DeleteMessage':
    case 'DeleteMessageBatch':
      return 'acknowledge';
    default:
      return undefined;
  }
}
