import { type HealthServer, startHealthServer } from 'batchlatch/worker';
import { CliError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { ExitStatus } from '../process-io.ts';
import { PLACE_VARIABLE } from './process-messages.ts';
import { Supervisor } from './supervisor.ts';
import { summaryOf, tellOf } from './worker-log.ts';

export interface SupervisedJob {
  readonly queueUrl: string;
  readonly shutdownTimeout?: number;
  readonly memoryLimit?: number;
  readonly healthPort?: number;
  readonly healthHost?: string;
}

const SHUTDOWN_TIMEOUT_MS = 25_000;
/** How long after its shutdown time a process is killed. */
const AFTER_STOP_MS = 5_000;

export async function supervise(context: Context, job: SupervisedJob, count: number): Promise<ExitStatus> {
  const { processes, signal } = context;
  if (processes === undefined) throw new CliError('This program cannot start processes: give --processes 1.');
  const tell = tellOf(context);
  const supervisor = new Supervisor({
    count,
    memoryLimit: job.memoryLimit,
    stopMs: (job.shutdownTimeout ?? SHUTDOWN_TIMEOUT_MS) + AFTER_STOP_MS,
    start: ({ number }) => processes.startAgain({ [PLACE_VARIABLE]: `${number}/${count}` }),
    random: Math.random,
    tell,
  });
  const server = await healthServer(job, supervisor);
  try {
    processes.onHangUp(() => supervisor.replaceAll());
    signal.addEventListener('abort', () => supervisor.stop(), { once: true });
    if (signal.aborted) return 0;
    tell('processes', { count }, `Working ${job.queueUrl} in ${count} processes`);
    const status = await supervisor.run();
    const { counters, running } = supervisor.health();
    tell('ended', { ...counters, running }, summaryOf(counters, running));
    return status;
  } finally {
    await server?.close();
  }
}

async function healthServer(job: SupervisedJob, supervisor: Supervisor): Promise<HealthServer | undefined> {
  const { healthPort: port, healthHost: host } = job;
  if (port === undefined) return undefined;
  try {
    return await startHealthServer({ port, ...(host !== undefined && { host }) }, () => supervisor.health());
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? healthPortInUse(error) : error;
  }
}

export function healthPortInUse(cause: unknown): CliError {
  return new CliError('The health port is in use: give another with --health-port.', { cause });
}
