import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { SQS } from '@aws-sdk/client-sqs';
import { type SeededRandom, seededRandom } from '../../local/demo/seeded-random.ts';
import { emulatorEnvironment } from '../../../packages/cli/src/dev/emulators/emulator-environment.ts';
import { createClaimsTable } from '../../../test/support/claims-table.ts';
import { type JsonProxy, startJsonProxy } from '../../../test/support/json-proxy.ts';
import type { DrillMessage, Fault, KilledWorkerSetup } from '../../../test/support/killed-worker.ts';
import { atPace, startSqsProxy } from '../../../test/support/sqs-proxy.ts';
import { until, untilAtLast } from '../../../test/support/until.ts';
import { createQueue, type Queue } from './create-queue.ts';
import { runFolder } from './sam-cli.ts';
import { sendMessages } from './send-messages.ts';

export interface DrillSetup {
  readonly sqs: SQS;
  readonly sqsEndpoint: string;
  readonly dynamoDB: DynamoDBClient;
  readonly dynamoDBEndpoint: string;
  readonly program: string;
  readonly seed: number;
  readonly messages: number;
  readonly workers: number;
  readonly fault?: Fault;
}

export interface DrillReport {
  readonly kills: number;
  /** Runs of handlers, those that were killed included. */
  readonly runs: number;
  /** Ids of what should be completed and is not, or is without an effect. */
  readonly lost: readonly string[];
  /** Ids of what ran when its completion was stored already. */
  readonly runAgain: readonly string[];
  /** Ids of what can never be done and is not in the dead-letter queue, or is not parked. */
  readonly notDead: readonly string[];
  readonly seconds: number;
}

/** Hidden for a minute by the worker, for five seconds by the queue: what a dead worker held comes again soon. */
const PACE = 12;
/** No handler starts whose claim was answered after its lease: on a busy machine an answer takes more than a second. */
const LEASE_MS = 4_500;
/** On average. */
const COMPLETED_BETWEEN_KILLS = 60;
const LOOK_EVERY_MS = 200;
/** Of all: the kills end with the last ones, so that the drill does. */
const SHARE_UNDER_FIRE = 0.85;

/** Workers on one queue are killed at random, and others started, until all is done. */
export async function runKillDrill(setup: DrillSetup): Promise<DrillReport> {
  const { sqs, dynamoDB, seed } = setup;
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const queue = await createQueue(sqs, { visibilityTimeoutSeconds: 30, maxReceiveCount: 1_000 });
  const messages = Array.from({ length: setup.messages }, (_, index): DrillMessage => ({
    id: `message-${index}`,
    ms: 10 + random.integer(100),
    isHopeless: random.integer(50) === 0,
  }));
  await sendMessages(
    sqs,
    queue.queueUrl,
    messages.map((message) => ({ body: JSON.stringify(message) })),
  );
  const tableName = await createClaimsTable(dynamoDB);
  const logFile = path.join(runFolder(), `${tableName}.log`);
  const kills = await killAndRestart(setup, { ...queue, tableName, logFile, random });
  const log = (await readFile(logFile, 'utf8')).trimEnd().split('\n');
  const states = await statesOf(dynamoDB, tableName);
  const dead = await idsIn(sqs, queue.deadLetterQueueUrl);
  const effects = new Set(log.flatMap((line) => idOf(line, 'effect')));
  const idsOf = (isWrong: (message: DrillMessage) => boolean): string[] =>
    messages.filter(isWrong).map(({ id }) => id);
  return {
    kills,
    runs: log.flatMap((line) => idOf(line, 'start')).length,
    lost: idsOf(({ id, isHopeless }) => !isHopeless && !(states.get(id) === 'COMPLETED' && effects.has(id))),
    runAgain: startedAfterCompletion(log),
    notDead: idsOf(({ id, isHopeless }) => isHopeless && !(states.get(id) === 'PARKED' && dead.has(id))),
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

interface Range extends Queue {
  readonly tableName: string;
  readonly logFile: string;
  readonly random: SeededRandom;
}

/** Gives how many it has killed, when the queue is empty. */
async function killAndRestart(
  { sqs, sqsEndpoint, dynamoDBEndpoint, program, fault, ...setup }: DrillSetup,
  { queueUrl, deadLetterQueueUrl, tableName, logFile, random }: Range,
): Promise<number> {
  const completed = new Set<string>();
  const claims = await startJsonProxy<StatementsInput, StatementsAnswer>(dynamoDBEndpoint, {
    finishes: true,
  });
  noteCompletions(claims, (id) => {
    completed.add(id);
    appendFileSync(logFile, `completed ${id}\n`);
  });
  const queues = await startSqsProxy(sqsEndpoint);
  queues.interpose(atPace(PACE, (_call, ask) => ask()));
  let started = 0;
  let endedByThemselves = 0;
  const start = (): ChildProcess => {
    const own: KilledWorkerSetup = {
      name: `worker-${(started += 1)}`,
      queueUrl: queues.through(queueUrl),
      deadLetterQueueUrl: queues.through(deadLetterQueueUrl),
      tableName,
      logFile,
      leaseMs: LEASE_MS,
      ...(fault !== undefined && { fault }),
    };
    const worker = fork(program, [JSON.stringify(own)], {
      execArgv: [],
      env: { PATH: process.env['PATH'], ...emulatorEnvironment, AWS_ENDPOINT_URL_DYNAMODB: claims.endpoint },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    worker.once('exit', (status) => (endedByThemselves += status === null ? 0 : 1));
    return worker;
  };
  const workers = Array.from({ length: setup.workers }, start);
  const isSo = (so: boolean): boolean => {
    if (endedByThemselves > 0) throw new Error('A worker ended by itself');
    return so;
  };
  let left = setup.messages;
  const isEmpty = (): boolean => left === 0; // also where messages were lost
  const progress = (): number => completed.size - left;
  const look = setInterval(() => {
    depth(sqs, queueUrl).then(
      (now) => (left = now),
      () => undefined,
    );
  }, LOOK_EVERY_MS);
  let kills = 0;
  try {
    for (let next = 1; next < setup.messages * SHARE_UNDER_FIRE;) {
      await untilAtLast(`${next} are completed`, () => isSo(isEmpty() || completed.size >= next), progress);
      if (isEmpty()) break; // what was lost is never completed
      await delay(random.integer(50)); // anywhere between two answers
      const index = random.integer(workers.length);
      await kill(workers[index]);
      kills += 1;
      workers[index] = start();
      next = completed.size + random.integer(2 * COMPLETED_BETWEEN_KILLS);
    }
    if (fault === undefined) await untilAtLast('the queue is empty', () => isSo(isEmpty()), progress);
    // With a fault some may come again without end.
    else await until('the queue is empty', () => isSo(isEmpty()), 5_000).catch(() => undefined);
  } finally {
    clearInterval(look);
    await Promise.all(workers.map(kill));
    await Promise.all([claims.stop(), queues.stop()]);
  }
  return kills;
}

interface StatementsInput {
  readonly Statements?: readonly {
    readonly Statement: string;
    readonly Parameters?: readonly AttributeValue[];
  }[];
}
interface StatementsAnswer {
  readonly Responses?: readonly { readonly Error?: object }[];
}

/** Sees completions where they are stored, whether or not the worker still lives to hear of them. */
function noteCompletions(
  claims: JsonProxy<StatementsInput, StatementsAnswer>,
  onCompleted: (id: string) => void,
): void {
  claims.interpose(async ({ input }, ask) => {
    const answer = await ask();
    input.Statements?.forEach(({ Statement, Parameters = [] }, index) => {
      const texts = Parameters.map((parameter) => parameter.S);
      const isCompletion = Statement.startsWith('UPDATE') && texts.includes('COMPLETED');
      const key = texts.find((text) => text?.startsWith('drill'));
      if (isCompletion && key !== undefined && answer.Responses?.[index]?.Error === undefined) {
        for (const id of messageOf(key)) onCompleted(id);
      }
    });
    return answer;
  });
}

/** The table has other rows too: which messages might end a process that reads them. */
function messageOf(key: string): string[] {
  const id = key.slice(key.lastIndexOf(':') + 1);
  return id.startsWith('message-') ? [id] : [];
}

function startedAfterCompletion(log: readonly string[]): string[] {
  const completed = new Set<string>();
  const again: string[] = [];
  for (const line of log) {
    for (const id of idOf(line, 'completed')) completed.add(id);
    again.push(...idOf(line, 'start').filter((id) => completed.has(id)));
  }
  return again;
}

function idOf(line: string, what: string): string[] {
  const [noted, id = ''] = line.split(' ');
  return noted === what ? [id] : [];
}

async function kill(worker: ChildProcess | undefined): Promise<void> {
  if (worker === undefined || worker.exitCode !== null || worker.signalCode !== null) return;
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
}

async function depth(sqs: SQS, QueueUrl: string): Promise<number> {
  const { Attributes = {} } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
  const { ApproximateNumberOfMessages: shown, ApproximateNumberOfMessagesNotVisible: hidden } = Attributes;
  return Number(shown) + Number(hidden);
}

async function idsIn(sqs: SQS, QueueUrl: string): Promise<Set<string>> {
  const ids = new Set<string>();
  while (true) {
    const { Messages = [] } = await sqs.receiveMessage({ QueueUrl, MaxNumberOfMessages: 10 });
    if (Messages.length === 0) return ids;
    for (const { Body = '{}' } of Messages) ids.add((JSON.parse(Body) as DrillMessage).id);
  }
}

async function statesOf(dynamoDB: DynamoDBClient, TableName: string): Promise<Map<string, string>> {
  const states = new Map<string, string>();
  let ExclusiveStartKey: Record<string, AttributeValue> | undefined;
  do {
    const page = await dynamoDB.send(new ScanCommand({ TableName, ExclusiveStartKey }));
    for (const { id, status } of page.Items ?? []) {
      for (const message of messageOf(id?.S ?? '')) states.set(message, status?.S ?? '');
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  return states;
}
