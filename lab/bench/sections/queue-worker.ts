import { type ConsumerName, CONSUMERS, type QueueWork } from '../consumers/consumer.ts';
import { type QueueServer, startQueueServer } from '../harness/filled-queue.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { inTurn, nextCell } from '../harness/rounds.ts';
import { WorkerProcess } from '../harness/worker-process.ts';
import type { Plan } from '../plan.ts';
import { pairedRatio, type Spread, spreadOf } from '../statistics.ts';
import type { QueueResult } from '../worker/jobs.ts';
import type { QueuedWork } from '../worker/run-queue.ts';

export interface QueueCell {
  readonly work: QueueWork;
  readonly rounds: number;
  readonly consumers: Readonly<Partial<Record<ConsumerName, ConsumerFigures>>>;
}

export interface ConsumerFigures {
  readonly perSecond: Spread;
  /** Processor time of the client process for a message, in microseconds. */
  readonly cpuMicros: Spread;
  /** How many times more messages a second than `sqs-consumer`, round by round. */
  readonly timesMore: Spread;
  /** The same beside as many of them as the worker has receivers. */
  readonly timesMoreThanFour: Spread;
  /** How many times less processor time than those. */
  readonly timesLessCpu: Spread;
}

const SLOW_MS = 1_000;
const ONE_IN = 20;
const TEXT = 'x'.repeat(280);

/** Workers of a queue, each alone on a queue of its own, in turn. */
export async function measureQueueWorker(lab: Lab, plan: Plan, progress: Progress): Promise<QueueCell[]> {
  const { cells, rounds, messages, limitMs } = plan.queueWorker;
  const server = lab.add(await startQueueServer());
  const processes = new Map(CONSUMERS.map((name) => [name, lab.add(new WorkerProcess())]));
  const run = async (consumer: ConsumerName, work: QueueWork): Promise<QueueResult> => {
    const process = processes.get(consumer);
    if (process === undefined) throw new Error(`No process was started for ${consumer}`);
    return runOnce(server, process, { consumer, work, messages, limitMs, endpoint: lab.emulator.endpoint });
  };

  progress.section('warm-up of workers', CONSUMERS.length);
  for (const consumer of CONSUMERS) {
    const endsAt = performance.now() + plan.warmUpMs;
    while (performance.now() < endsAt) await run(consumer, { handlerMs: 0, hasSlow: false });
    progress.step(consumer);
  }
  const figures: QueueCell[] = [];
  progress.section('workers of a queue', cells.length * rounds);
  for (const work of cells) {
    const results = new Map<ConsumerName, QueueResult[]>(CONSUMERS.map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const consumer of inTurn(CONSUMERS, round)) {
        results.get(consumer)?.push(await run(consumer, work));
      }
      progress.step(`${work.handlerMs} ms${work.hasSlow ? ', some slow' : ''}`);
    }
    figures.push({ work, rounds, consumers: figuresOf(results) });
  }
  await Promise.all([...processes.values(), server].map((one) => one.stop()));
  return figures;
}

async function runOnce(
  server: QueueServer,
  process: WorkerProcess,
  {
    work: { handlerMs, hasSlow },
    ...job
  }: {
    readonly consumer: ConsumerName;
    readonly work: QueueWork;
    readonly messages: number;
    readonly limitMs: number;
    readonly endpoint: string;
  },
): Promise<QueueResult> {
  const queueUrl = await server.fill(
    Array.from({ length: job.messages }, (_, index): QueuedWork => ({
      waitMs: hasSlow && index % ONE_IN === 0 ? SLOW_MS : handlerMs,
      text: TEXT,
    })),
  );
  const result = await process.run('queue', { ...job, queueUrl, tableName: `${job.consumer}-${nextCell()}` });
  await server.drop(queueUrl);
  return result;
}

function figuresOf(results: ReadonlyMap<ConsumerName, readonly QueueResult[]>): QueueCell['consumers'] {
  const rates = (name: ConsumerName): number[] =>
    (results.get(name) ?? []).map(({ messages, seconds }) => messages / seconds);
  const micros = (name: ConsumerName): number[] =>
    (results.get(name) ?? []).map(({ messages, cpuMicros }) => cpuMicros / messages);
  const figures = CONSUMERS.map((name): [ConsumerName, ConsumerFigures] => [
    name,
    {
      perSecond: spreadOf(rates(name)),
      cpuMicros: spreadOf(micros(name)),
      timesMore: pairedRatio(rates(name), rates('sqs-consumer')),
      timesMoreThanFour: pairedRatio(rates(name), rates('sqs-consumer-four')),
      timesLessCpu: pairedRatio(micros('sqs-consumer-four'), micros(name)),
    },
  ]);
  return Object.fromEntries(figures);
}
