import { type ChildProcess, fork } from 'node:child_process';
import {
  type DynamoDBClient,
  CreateTableCommand,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import type { InvocationResult } from '../../packages/cli/src/dev/invoke-result.ts';
import type { DiscardedBatch } from '../../packages/cli/src/dev/mappings/stream-attempts.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { componentNamed } from '../../test/support/components/index.ts';
import { type JsonProxy, startJsonProxy } from '../../test/support/json-proxy.ts';
import { createOutboxTable, isRow, type StoredRow, storedIn } from '../../test/support/outbox-rows.ts';
import type { OutboxWorkerSetup, RelayedBatch, WantedOrder } from '../../test/support/outbox-worker.ts';
import { type SqsProxy, startSqsProxy } from '../../test/support/sqs-proxy.ts';
import { until } from '../../test/support/until.ts';
import { bundleProgram } from './support/bundle-program.ts';
import { createQueue, type Queue } from './support/create-queue.ts';
import { type RelayMapping, relayMapping } from './support/relay-mapping.ts';
import { sendMessages } from './support/send-messages.ts';
import { startComponent } from './support/start-component.ts';

/** Two at each point. `OUTBOX_KILLS=200 npm run lab:real -- outbox-dynamodb-kills` for more. */
const KILLS = Number(process.env['OUTBOX_KILLS'] ?? 32);
const DAYS = 2;
const LATER_MS = DAYS * 24 * 3_600_000;

/** Each write and send of those who place orders. The process is killed before each is carried out, and after. */
const PLACING = ['claim', 'commit with a message', 'acknowledge'] as const;
/** Each write and send behind them, and the batches of the stream. */
const RELAYING = ['relay a batch', 'send', 'note as sent', 'delete the row', 'commit the effect'] as const;
type Step = (typeof PLACING)[number] | (typeof RELAYING)[number];
interface Point {
  readonly step: Step;
  readonly moment: 'before' | 'after';
}
const MOMENTS = ['before', 'after'] as const;
const pointsOf = (steps: readonly Step[]): Point[] =>
  MOMENTS.flatMap((moment) => steps.map((step) => ({ step, moment })));
const POINTS = pointsOf([...PLACING, ...RELAYING]);
/** Half of the kills are while relay and sweep run, the others while they are off, and when they run again. */
const RUNNING = Math.ceil(KILLS / 2);
const OFF = Math.round(((KILLS - RUNNING) * PLACING.length) / (PLACING.length + RELAYING.length));
const HOW = ['alone', 'of a group', 'in order'] as const;

describeWith([componentNamed('dynamodb-local'), componentNamed('fauxqs')], 'A DynamoDB outbox', () => {
  let database: LocalService;
  let queues: LocalService;
  let client: DynamoDBClient;
  let sqs: SQS;
  let dynamoDBProxy: JsonProxy<object, object>;
  let sqsProxy: SqsProxy;
  let program: string;
  let setup: OutboxWorkerSetup;
  let mapping: RelayMapping;
  let source: Queue;
  let target: Queue;
  let worker: ChildProcess;
  let ended: Promise<unknown>;
  /** Where the running process is killed next. */
  let point: Point | undefined;
  const killed = new Map<string, number>();
  /** Bodies, in the order in which the queue took them. */
  const sent: string[] = [];
  const wanted: WantedOrder[] = [];
  const relayed: DynamoDBRecord[] = [];
  const discarded: DiscardedBatch[] = [];

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
    mapping = await relayMapping({
      dynamoDB: database.endpoint,
      invoke,
      onDiscarded: (batch) => discarded.push(batch),
    });
    await createOutboxTable(client, mapping.tableName, { streams: true });
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
      outbox: mapping.tableName,
      effects: 'effects',
      source: through(source),
      target: through(target),
      sweeps: true,
      laterMs: 0,
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
    await mapping.stop();
    client.destroy();
    sqs.destroy();
    await Promise.all([dynamoDBProxy.stop(), sqsProxy.stop(), database.stop(), queues.stop()]);
  });

  function isAt(step: Step | undefined, moment: Point['moment']): boolean {
    if (step === undefined || point?.step !== step || point.moment !== moment) return false;
    point = undefined;
    return true;
  }

  /** Carries a request out, and kills the process if this is its point. */
  async function killing<Answer>(step: Step | undefined, ask: () => Promise<Answer>): Promise<Answer> {
    if (isAt(step, 'before')) await kill(step as Step, 'before');
    const answer = await ask(); // a refused request is not carried out: the next one is
    if (isAt(step, 'after')) await kill(step as Step, 'after');
    return answer;
  }

  /** Invokes the relay in the running process, as Lambda does with a batch of the stream. */
  async function invoke({ Records }: DynamoDBStreamEvent): Promise<InvocationResult> {
    relayed.push(...Records);
    const step = 'relay a batch';
    const failure = { ok: false, errorType: 'Runtime.ExitError', errorMessage: 'exited' } as const;
    try {
      // Nothing but the sweep finds a row without a group once its batch is given up.
      if ((await unsentAlone(Records)).length > 0 && isAt(step, 'before')) await kill(step, 'before');
      if (worker.exitCode !== null || worker.signalCode !== null) return failure;
      const answered = new Promise<RelayedBatch | undefined>((resolve) => {
        worker.once('message', resolve);
        void ended.then(() => resolve(undefined));
      });
      worker.send({ Records }, () => undefined); // the process may be gone: see `ended`
      const end = await answered;
      if (isAt(step, 'after')) await kill(step, 'after');
      return end !== undefined && 'answer' in end ? { ok: true, payload: end.answer } : failure;
    } catch {
      return failure;
    }
  }

  /** The records whose rows are in the table, in a lane of their own. */
  async function unsentAlone(records: readonly DynamoDBRecord[]): Promise<DynamoDBRecord[]> {
    const lanes = new Set((await rows()).map(({ lane }) => lane?.S));
    return records.filter(({ dynamodb }) => {
      const lane = dynamodb?.Keys?.['lane']?.S ?? '';
      return lane.startsWith('row:') && lanes.has(lane);
    });
  }

  async function rows(): Promise<StoredRow[]> {
    return (await storedIn(client, mapping.tableName)).filter(isRow);
  }

  async function kill(step: Step, moment: Point['moment']): Promise<never> {
    worker.kill('SIGKILL');
    await ended;
    const name = `${moment}: ${step}`;
    killed.set(name, (killed.get(name) ?? 0) + 1);
    throw new Error('The process was killed');
  }

  function start(changes: Partial<OutboxWorkerSetup> = {}): void {
    worker = fork(program, [JSON.stringify({ ...setup, ...changes })], {
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
    ended = new Promise((resolve) => worker.once('exit', resolve));
  }

  it(
    `has exactly one effect for each committed message, and none for another, after ${KILLS} kills, discarded batches of its stream, and two days without relay and sweep`,
    async () => {
      const startedAt = performance.now();
      await mapping.start();
      await killAt(RUNNING - 1, POINTS);
      const givenUp = discarded.splice(0);
      expect(givenUp.length).toBeGreaterThan(0);

      // Its rows are sent and not deleted, and stay so for two days.
      await killAt(1, [{ step: 'send', moment: 'after' }]);
      await mapping.stop();
      const offSince = Date.now();
      await killAt(OFF, pointsOf(PLACING), { sweeps: false });
      start({ sweeps: false });
      await until('both queues are empty', areQueuesEmpty);
      await endWorker();
      const waiting = await rows();
      const sentBefore = new Set(waiting.flatMap(({ body }) => body?.S ?? '').filter((one) => sent.includes(one)));
      expect(sentBefore.size).toBeGreaterThan(0);
      const sentUntilThen = sent.length;

      await mapping.start(LATER_MS);
      await killAt(KILLS - RUNNING - OFF, pointsOf(RELAYING), { laterMs: LATER_MS });
      start({ laterMs: LATER_MS });
      await until('both queues and the outbox are empty', isDone, 60_000);
      await mapping.stop();
      await endWorker();

      const committed = wanted.filter(({ isRefused }) => !isRefused).map(({ orderId }) => orderId);
      const { placed, consumed } = await effects();
      expect(placed).toEqual(committed);
      // Not as a set: a second effect of an order is a second entry.
      expect(consumed).toEqual(committed);

      // What waited for two days came from the sweep: the stream had it no more.
      const gone = discarded.filter(({ condition }) => condition === 'RecordAgeExceeded').flatMap(keysOf);
      const writtenMeanwhile = waiting.filter(({ createdAt }) => Number(createdAt?.N) >= offSince);
      expect(writtenMeanwhile.length).toBeGreaterThan(0);
      expect(gone).toEqual(expect.arrayContaining(writtenMeanwhile.map(keyOf)));
      expect(sent.slice(sentUntilThen).filter((body) => sentBefore.has(body)).length).toBeGreaterThan(0);
      // The stream had every kind of change, and the relay got keys of new rows alone.
      expect(mapping.changes).toEqual(new Set(['INSERT', 'MODIFY', 'REMOVE']));
      expect(new Set(relayed.map(formOf))).toEqual(new Set(['INSERT KEYS_ONLY Keys']));
      expect(relayed.filter((record) => keyOf(record.dynamodb?.Keys ?? {}).endsWith(' #'))).toEqual([]);

      const kills = [...killed.values()].reduce((sum, one) => sum + one, 0);
      expect(kills).toBe(KILLS);
      for (const { step, moment } of POINTS.slice(0, KILLS))
        expect(killed.get(`${moment}: ${step}`)).toBeGreaterThan(0);
      process.stderr.write(
        `${kills} kills, ${committed.length} messages, ${waiting.length} of them waited for ${DAYS} days, ` +
          `${sent.length - committed.length} second copies, ${sentBefore.size} of them after these days, ` +
          `${givenUp.length} batches given up, ${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`,
      );
    },
    KILLS * 10_000 + 120_000,
  );

  /** Places three orders before each kill. */
  async function killAt(
    count: number,
    points: readonly Point[],
    changes: Partial<OutboxWorkerSetup> = {},
  ): Promise<void> {
    for (let kills = 0; kills < count; kills += 1) {
      const more = Array.from({ length: 3 }, (_, index): WantedOrder => {
        const number = wanted.length + index;
        const how = HOW[number % HOW.length] ?? 'alone';
        return {
          orderId: `order-${String(number).padStart(5, '0')}`,
          tenantId: `${how.replaceAll(' ', '-')}-${number % 2}`,
          how,
          isRefused: number % 7 === 0,
        };
      });
      wanted.push(...more);
      const bodies = more.map((order) => ({ body: JSON.stringify(order) }));
      await sendMessages(sqs, source.queueUrl, bodies);
      const next = points[kills % points.length] as Point;
      const discards = discarded.length;
      point = next;
      start(changes);
      await until(`the process is killed ${next.moment}: ${next.step}`, isKilled);
      // No process runs until the mapping has given the batch up.
      if (next.step === 'relay a batch' && next.moment === 'before')
        await until('the batch is discarded', () => discarded.length > discards);
    }
  }

  async function endWorker(): Promise<void> {
    worker.kill('SIGKILL');
    await ended;
  }

  function isKilled(): boolean {
    if (worker.exitCode !== null) throw new Error('The process ended by itself');
    return worker.signalCode === 'SIGKILL';
  }

  async function areQueuesEmpty(): Promise<boolean> {
    const depths = await Promise.all([source, target].map(({ queueUrl }) => depth(queueUrl)));
    return depths.every((one) => one === 0);
  }

  async function isDone(): Promise<boolean> {
    return (await areQueuesEmpty()) && (await rows()).length === 0;
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

function keyOf({ lane, position }: Record<string, { readonly S?: string | undefined }>): string {
  return `${lane?.S} ${position?.S}`;
}

function keysOf({ records }: DiscardedBatch): string[] {
  return records.map(({ record }) => keyOf((record as DynamoDBRecord).dynamodb?.Keys ?? {}));
}

/** Returns the kind of a record, and which of the row it has. */
function formOf({ eventName, dynamodb = {} }: DynamoDBRecord): string {
  const parts = Object.keys(dynamodb).filter((name) => name === 'Keys' || name.endsWith('Image'));
  return `${eventName} ${dynamodb.StreamViewType} ${parts.join()}`;
}

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
