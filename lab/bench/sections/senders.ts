import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { inTurn } from '../harness/rounds.ts';
import { MEASURED_ENVIRONMENT, WorkerProcess } from '../harness/worker-process.ts';
import type { Plan } from '../plan.ts';
import { type ProducerName, PRODUCERS } from '../producers/producer.ts';
import { pairedRatio, type Spread, spreadOf } from '../statistics.ts';
import type { SendResult } from '../worker/jobs.ts';

export interface SenderCell {
  /** The share of entries that the queue throttles. */
  readonly throttled: number;
  readonly rounds: number;
  readonly producers: Readonly<Partial<Record<ProducerName, ProducerFigures>>>;
}

interface ProducerFigures {
  readonly perSecond: Spread;
  /** Processor time of the client process for a message, in microseconds. */
  readonly cpuMicros: Spread;
  /** How many times more than that of `batchlatch-send-all`, round by round. */
  readonly timesMoreCpu: Spread;
}

/** Senders of messages, each in a process of its own, in turn, to one queue that forgets them. */
export async function measureSenders(lab: Lab, plan: Plan, progress: Progress): Promise<SenderCell[]> {
  const { throttled, rounds, messages } = plan.senders;
  const processes = new Map(PRODUCERS.map((name) => [name, lab.add(new WorkerProcess())]));
  const cells: SenderCell[] = [];
  progress.section('senders', throttled.length * (rounds + 1));
  let isWarm = false;
  for (const share of throttled) {
    const queue = lab.add(await startTakingQueue(share));
    const send = async (producer: ProducerName): Promise<SendResult> =>
      (processes.get(producer) as WorkerProcess).run('send', {
        producer,
        queueUrl: queue.queueUrl,
        messages,
      });
    const results = new Map<ProducerName, SendResult[]>(PRODUCERS.map((name) => [name, []]));
    for (const producer of isWarm ? [] : PRODUCERS) {
      const endsAt = performance.now() + plan.warmUpMs;
      while (performance.now() < endsAt) await send(producer);
    }
    isWarm = true;
    progress.step('warm-up');
    for (let round = 0; round < rounds; round += 1) {
      for (const producer of inTurn(PRODUCERS, round)) results.get(producer)?.push(await send(producer));
      progress.step(`${share * 100} % throttled`);
    }
    await queue.stop();
    cells.push({ throttled: share, rounds, producers: figuresOf(results) });
  }
  await Promise.all([...processes.values()].map((one) => one.stop()));
  return cells;
}

async function startTakingQueue(
  share: number,
): Promise<{ readonly queueUrl: string; stop(): Promise<void> }> {
  const program = fileURLToPath(new URL('../harness/taking-queue.ts', import.meta.url));
  const child = fork(program, [share === 0 ? '0' : String(Math.round(1 / share))], {
    execArgv: ['--import', 'tsx'],
    env: { PATH: process.env['PATH'], ...MEASURED_ENVIRONMENT },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [endpoint] = (await once(child, 'message')) as [string];
  return {
    queueUrl: `${endpoint}/123456789012/orders`,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function figuresOf(results: ReadonlyMap<ProducerName, readonly SendResult[]>): SenderCell['producers'] {
  const rates = (name: ProducerName): number[] =>
    (results.get(name) ?? []).map(({ messages, seconds }) => messages / seconds);
  const micros = (name: ProducerName): number[] =>
    (results.get(name) ?? []).map(({ messages, cpuMicros }) => cpuMicros / messages);
  const figures = PRODUCERS.map((name): [ProducerName, ProducerFigures] => [
    name,
    {
      perSecond: spreadOf(rates(name)),
      cpuMicros: spreadOf(micros(name)),
      timesMoreCpu: pairedRatio(micros(name), micros('batchlatch-send-all')),
    },
  ]);
  return Object.fromEntries(figures);
}
