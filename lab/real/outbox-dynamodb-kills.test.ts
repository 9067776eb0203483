import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
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
import { createEffectsTable, EFFECTS, effectsIn } from './support/effects-table.ts';
import { KilledWorker, nameOf, type Point } from './support/killed-worker.ts';
import { type RelayMapping, relayMapping } from './support/relay-mapping.ts';
import { sendMessages } from './support/send-messages.ts';
import { startComponent } from './support/start-component.ts';

/** Two at each point: the least that reaches all. `OUTBOX_KILLS=200 npm run lab:real -- outbox-dynamodb-kills` for more. */
const KILLS = Number(process.env['OUTBOX_KILLS'] ?? 32);
const DAYS = 2;
const LATER_MS = DAYS * 24 * 3_600_000;

/** Each write and send of those who place orders. The process is killed before each is carried out, and after. */
const PLACING = ['claim', 'commit with a message', 'acknowledge'] as const;
/** Each write and send behind them, and the batches of the stream. */
const RELAYING = ['relay a batch', 'send', 'note as sent', 'delete the row', 'commit the effect'] as const;
type Step = (typeof PLACING)[number] | (typeof RELAYING)[number];
const MOMENTS = ['before', 'after'] as const;
const pointsOf = (steps: readonly Step[]): Point<Step>[] =>
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
  let setup: OutboxWorkerSetup;
  let mapping: RelayMapping;
  let source: Queue;
  let target: Queue;
  let worker: KilledWorker<Step>;
  /** Bodies, in the order in which the queue took them. */
  const sent: string[] = [];
  const wanted: WantedOrder[] = [];
  const relayed: DynamoDBRecord[] = [];
  const discarded: DiscardedBatch[] = [];
  /** Keys of the batch at which the process was killed before it got it: only the sweep finds these rows. */
  let lost: string[] = [];

  beforeAll(async () => {
    const [program, ...services] = await Promise.all([
      bundleProgram('outbox-worker', { usesSdk: true }),
      startComponent('dynamodb-local'),
      startComponent('fauxqs'),
    ]);
    [database, queues] = services;
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
    await createEffectsTable(client);
    const through = ({ queueUrl, queueArn }: Queue) => ({ queueUrl: sqsProxy.through(queueUrl), queueArn });
    setup = {
      claims,
      outbox: mapping.tableName,
      effects: EFFECTS,
      source: through(source),
      target: through(target),
      sweeps: true,
      laterMs: 0,
    };
    worker = new KilledWorker(program, {
      ...emulatorEnvironment,
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDBProxy.endpoint,
      AWS_ENDPOINT_URL_SQS: sqsProxy.endpoint,
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    });
    dynamoDBProxy.interpose(async ({ operation, body }, ask) => worker.at(stepOf(operation, body), ask));
    sqsProxy.interpose(async ({ operation, body, input }, ask) =>
      worker.at(stepOf(operation, body), async () => {
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
    await worker.end();
    await mapping.stop();
    client.destroy();
    sqs.destroy();
    await Promise.all([dynamoDBProxy.stop(), sqsProxy.stop(), database.stop(), queues.stop()]);
  });

  /** Invokes the relay in the running process, as Lambda does with a batch of the stream. */
  async function invoke({ Records }: DynamoDBStreamEvent): Promise<InvocationResult> {
    relayed.push(...Records);
    const alone = await waitingAlone(Records);
    const isToBeLost = worker.point?.step === 'relay a batch' && worker.point.moment === 'before';
    if (isToBeLost && alone.length > 0) lost = alone;
    const step = isToBeLost && alone.length === 0 ? undefined : 'relay a batch';
    const answer = await worker.at(step, () => worker.ask<RelayedBatch>({ Records })).catch(() => undefined);
    if (answer !== undefined && 'answer' in answer) return { ok: true, payload: answer.answer };
    return { ok: false, errorType: 'Runtime.ExitError', errorMessage: 'The process ended' };
  }

  /** Returns the keys of rows without a group that wait: once their batch is given up, only the sweep finds them. */
  async function waitingAlone(records: readonly DynamoDBRecord[]): Promise<string[]> {
    const waiting = new Set((await rows()).map(keyOf));
    const keys = records.map(({ dynamodb }) => keyOf(dynamodb?.Keys ?? {}));
    return keys.filter((key) => key.startsWith('row:') && waiting.has(key));
  }

  async function rows(): Promise<StoredRow[]> {
    return (await storedIn(client, mapping.tableName)).filter(isRow);
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
      worker.start({ ...setup, sweeps: false });
      await until('both queues are empty', areQueuesEmpty);
      await worker.end();
      const waiting = await rows();
      const sentBefore = new Set(
        waiting.flatMap(({ body }) => body?.S ?? '').filter((one) => sent.includes(one)),
      );
      expect(sentBefore.size).toBeGreaterThan(0);
      const sentUntilThen = sent.length;

      await mapping.start(LATER_MS);
      await killAt(KILLS - RUNNING - OFF, pointsOf(RELAYING), { laterMs: LATER_MS });
      worker.start({ ...setup, laterMs: LATER_MS });
      await until('both queues and the outbox are empty', isDone, 60_000);
      await mapping.stop();
      await worker.end();

      const committed = wanted.filter(({ isRefused }) => !isRefused).map(({ orderId }) => orderId);
      const { placed, consumed } = await effectsIn(client);
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

      const kills = [...worker.killed.values()].reduce((sum, one) => sum + one, 0);
      expect(kills).toBe(KILLS);
      for (const point of POINTS.slice(0, KILLS)) expect(worker.killed.get(nameOf(point))).toBeGreaterThan(0);
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
    points: readonly Point<Step>[],
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
      const next = points[kills % points.length] as Point<Step>;
      worker.point = next;
      worker.start({ ...setup, ...changes });
      await until(`the process is killed ${nameOf(next)}`, () => worker.isKilled);
      if (next.step !== 'relay a batch' || next.moment === 'after') continue;
      // No process runs until the mapping has given the batch up.
      const isLost = (): boolean => lost.every((key) => discarded.flatMap(keysOf).includes(key));
      await until('the batch is discarded', isLost);
    }
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
