import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { seededRandom } from '../local/demo/seeded-random.ts';
import { startDynamoDBEmulator } from '../../packages/cli/src/dev/emulators/dynamodb-emulator.ts';
import {
  emulatorClientConfig,
  emulatorEnvironment,
} from '../../packages/cli/src/dev/emulators/emulator-environment.ts';
import type { LocalService } from '../../packages/cli/src/dev/emulators/local-service.ts';
import { startSqsEmulator } from '../../packages/cli/src/dev/emulators/sqs-emulator.ts';
import { createClaimsTable, emulatorClient } from '../../test/support/claims-table.ts';
import type { PoisonedMessage, PoisonedWorkerSetup } from '../../test/support/poisoned-worker.ts';
import { atPace, startSqsProxy } from '../../test/support/sqs-proxy.ts';
import { until } from '../../test/support/until.ts';
import { bundleProgram } from './support/bundle-program.ts';
import { createQueue } from './support/create-queue.ts';
import { runFolder } from './support/sam-cli.ts';
import { sendMessages } from './support/send-messages.ts';

const GOOD = 40;
/** A minute of the worker's visibility timeout takes six seconds. */
const PACE = 10;
/** `POISON_RUNS=10 npm run lab:real -- worker-poison` for more. */
const RUNS = Number(process.env['POISON_RUNS'] ?? 1);
const LONGEST_MS = 240_000;

interface Case {
  readonly maxReceiveCount: number;
  readonly isFifo: boolean;
  readonly maxInFlight: number;
}

const cases: readonly Case[] = [3, 5].flatMap((maxReceiveCount) => [
  { maxReceiveCount, isFifo: false, maxInFlight: 100 },
  { maxReceiveCount, isFifo: false, maxInFlight: 5 },
  { maxReceiveCount, isFifo: true, maxInFlight: 100 },
]);

describe('A message that calls process.exit()', () => {
  let queues: LocalService;
  let database: LocalService;
  let sqs: SQS;
  let dynamoDB: DynamoDBClient;
  let program: string;
  beforeAll(async () => {
    [queues, database, program] = await Promise.all([
      startSqsEmulator(),
      startDynamoDBEmulator('dynoxide'),
      bundleProgram('poisoned-worker'),
    ]);
    sqs = new SQS({ ...emulatorClientConfig, endpoint: queues.endpoint });
    dynamoDB = emulatorClient(database.endpoint);
  });
  afterAll(async () => {
    sqs.destroy();
    dynamoDB.destroy();
    await Promise.all([queues.stop(), database.stop()]);
  });

  test.concurrent.each(cases)(
    'is the only dead letter beside 40 messages that are completed: %j',
    async (one) => {
      for (let run = 1; run <= RUNS; run += 1) {
        expect({ run, ...(await report(one, run)) }).toEqual({
          run,
          dead: ['poison'],
          completed: GOOD,
          deaths: one.maxReceiveCount,
        });
      }
    },
    RUNS * LONGEST_MS,
  );

  /** Works the queue with a worker that a supervisor starts again, until the queue is empty. */
  async function report({ maxReceiveCount, isFifo, maxInFlight }: Case, seed: number) {
    const random = seededRandom(seed);
    const queue = await createQueue(sqs, { visibilityTimeoutSeconds: 6, maxReceiveCount, isFifo });
    const messages = Array.from({ length: GOOD + 1 }, (_, index): PoisonedMessage => ({
      id: index === 0 ? 'poison' : `good-${index}`,
      ms: random.integer(30),
      isPoison: index === 0,
    }));
    const outgoing = random.shuffled(messages).map((message) => ({
      body: JSON.stringify(message),
      ...(isFifo && { messageGroupId: `group-${random.integer(8)}` }),
    }));
    await sendMessages(sqs, queue.queueUrl, outgoing);
    const tableName = await createClaimsTable(dynamoDB);
    const logFile = path.join(runFolder(), `${tableName}.log`);
    await writeFile(logFile, '');
    const proxy = await startSqsProxy(queues.endpoint);
    proxy.interpose(atPace(PACE, (_call, ask) => ask()));
    const supervisor = supervise({
      queueUrl: proxy.through(queue.queueUrl),
      tableName,
      logFile,
      maxInFlight,
      pace: PACE,
    });
    try {
      await until('the queue is empty', async () => (await depth(queue.queueUrl)) === 0, LONGEST_MS);
    } finally {
      await supervisor.stop();
      await proxy.stop();
    }
    const log = await readFile(logFile, 'utf8');
    return {
      dead: await idsIn(queue.deadLetterQueueUrl),
      completed: await completedIn(tableName),
      deaths: log.split('\n').filter((line) => line === 'death poison').length,
    };
  }

  function supervise(setup: PoisonedWorkerSetup): { readonly stop: () => Promise<void> } {
    let isOver = false;
    let worker: ChildProcess;
    const start = (): void => {
      worker = fork(program, [JSON.stringify(setup)], {
        execArgv: [],
        env: {
          PATH: process.env['PATH'],
          ...emulatorEnvironment,
          AWS_ENDPOINT_URL_DYNAMODB: database.endpoint,
        },
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      worker.once('exit', () => {
        if (!isOver) start();
      });
    };
    start();
    return {
      async stop() {
        isOver = true;
        if (worker.exitCode !== null || worker.signalCode !== null) return;
        const ended = once(worker, 'exit');
        worker.kill('SIGKILL');
        await ended;
      },
    };
  }

  async function depth(queueUrl: string): Promise<number> {
    const { Attributes } = await sqs.getQueueAttributes({
      QueueUrl: queueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    });
    return Object.values(Attributes ?? {}).reduce((sum, count) => sum + Number(count), 0);
  }

  async function idsIn(queueUrl: string): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const { Messages = [] } = await sqs.receiveMessage({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 });
      if (Messages.length === 0) return ids;
      ids.push(...Messages.map(({ Body = '' }) => (JSON.parse(Body) as PoisonedMessage).id));
    }
  }

  async function completedIn(tableName: string): Promise<number> {
    const { Items = [] } = await dynamoDB.send(new ScanCommand({ TableName: tableName }));
    const isGood = (key: string | undefined): boolean => key?.startsWith('poisoned#v1:good') === true;
    return Items.filter(({ id, status }) => isGood(id?.S) && status?.S === 'COMPLETED').length;
  }
});
