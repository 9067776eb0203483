import { createWorker, type Worker, type WorkerOptions } from 'batchlatch/worker';
import { CliError, UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { Run } from '../subcommand.ts';
import type { ExitStatus } from '../process-io.ts';
import { loadHandler } from './load-handler.ts';
import { type ProcessPlace, processesFor, shareOf } from './process-count.ts';
import { placeOf } from './process-messages.ts';
import { runAsProcess } from './run-as-process.ts';
import { healthPortInUse, supervise } from './supervise.ts';
import { workerLog } from './worker-log.ts';

interface WorkOptions {
  readonly queueUrl?: string;
  readonly handlerExport: string;
  readonly name?: string;
  readonly maxInFlight?: number;
  readonly concurrencyPerGroup?: number;
  readonly receivers?: number;
  readonly waitTimeSeconds?: number;
  readonly rate?: { readonly records: number; readonly perMs: number };
  readonly shutdownTimeout?: number;
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly processes?: number;
  readonly memoryLimit?: number;
}

interface Job extends WorkOptions {
  readonly queueUrl: string;
  readonly file: string;
}

export const workCommand: Run<WorkOptions> = async (context, options, [file = '']) => {
  const { env } = context;
  context.stopOnClosedPipe?.(); // running handlers may end
  const queueUrl = options.queueUrl ?? (env['QUEUE_URL'] || undefined);
  if (queueUrl === undefined) throw new UsageError('Name the queue: --queue-url URL, or set QUEUE_URL.');
  if (options.healthHost !== undefined && options.healthPort === undefined) {
    throw new UsageError('--health-host needs --health-port.');
  }
  const place = placeOf(env);
  const count = place?.count ?? processesFor(options.processes, options);
  const hasSupervisor = context.processes !== undefined && (count > 1 || options.memoryLimit !== undefined);
  const job: Job = { ...options, queueUrl, file };
  try {
    if (place !== undefined) {
      const { healthPort: _port, ...own } = { ...job, ...shareOf(options, place) };
      return await runAsProcess(context, (within, onStarted) => work(own, within, { place, onStarted }));
    }
    return hasSupervisor ? await supervise(context, job, count) : await work(job, context);
  } finally {
    context.endSoon(); // the module may have open connections
  }
};

async function work(
  job: Job,
  context: Context,
  { place, onStarted }: { place?: ProcessPlace; onStarted?: (worker: Worker) => void } = {},
): Promise<ExitStatus> {
  const { queueUrl } = job;
  const handler = await loadHandler(job.file, job.handlerExport);
  const workerOptions: WorkerOptions = { ...given(job), queueUrl, handler };
  const { signal } = context;
  const worker = createWorker(workerOptions);
  const log = workerLog(worker, workerOptions, context, place?.number);
  const ended = new Promise<void>((resolve) => {
    worker.on('state', (state) => {
      if (state === 'stopped') resolve();
    });
  });
  const stop = (): void => void worker.stop();
  signal.addEventListener('abort', stop, { once: true });
  let misconfigured: unknown;
  worker.on('handlerFailed', (error) => {
    if (!isMisconfigured(error)) return;
    misconfigured = error; // all messages would fail, and become dead letters
    stop();
  });
  if (signal.aborted) return 0;
  try {
    await worker.start();
    if (!signal.aborted) {
      log.started();
      onStarted?.(worker);
    }
  } catch (error) {
    if (!signal.aborted) throw explained(error, queueUrl);
  }
  await ended;
  await worker.stop(); // also closes the health endpoint
  log.ended();
  if (misconfigured !== undefined) throw misconfigured;
  // Running messages come again, so the stop was not graceful.
  return worker.running > 0 ? 1 : 0;
}

/** Returns the given options under the names of `createWorker`. */
function given(options: WorkOptions): Partial<WorkerOptions> {
  const { name, maxInFlight, concurrencyPerGroup, receivers, rate, shutdownTimeout } = options;
  const { waitTimeSeconds, healthPort: port, healthHost: host } = options;
  const all = {
    name,
    maxInFlight,
    concurrencyPerGroup,
    receivers,
    waitTimeSeconds,
    rate,
    shutdownTimeoutMs: shutdownTimeout,
    health: port === undefined ? undefined : { port, ...(host !== undefined && { host }) },
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function isMisconfigured(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === 'BATCHLATCH_CONFIGURATION';
}

function explained(error: unknown, queueUrl: string): unknown {
  const name = error instanceof Error ? error.name : '';
  if (/QueueDoesNotExist|NonExistentQueue/.test(name)) {
    return new CliError(`There is no queue ${queueUrl}: check --queue-url, its region and the account.`, {
      cause: error,
    });
  }
  if (name === 'CredentialsProviderError') {
    return new CliError(
      'No AWS credentials were found: give the process a role, or set AWS_PROFILE, ' +
        'or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
      { cause: error },
    );
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return healthPortInUse(error);
  }
  if (name === 'NetworkingError' || name === 'TimeoutError') {
    const { message } = error as Error;
    return new CliError(
      `${new URL(queueUrl).origin} does not answer: ${message}. Check --queue-url and the network.`,
      { cause: error },
    );
  }
  if (isMisconfigured(error)) return new UsageError((error as Error).message, { cause: error });
  return error;
}
