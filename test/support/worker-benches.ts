import { afterEach } from '@jest/globals';
import { createBatchProcessor, type BatchProcessorOptions, type RecordHandler } from 'batchlatch';
import { memoryStore } from 'batchlatch/memory';
import { type ManualClock, manualClock } from 'batchlatch/testing';
import type { WorkerOptions } from 'batchlatch/worker';
import { QueueWorker } from '../../src/worker/queue-worker.ts';
import { type ScriptedQueue, scriptedQueue } from './scripted-queue.ts';

interface WorkerBench {
  readonly clock: ManualClock;
  readonly queue: ScriptedQueue;
  readonly worker: QueueWorker;
}

interface WorkerBenchOptions extends Partial<WorkerOptions> {
  /** Default: one of its own. */
  readonly clock?: ManualClock;
  /** False: the handler is one of Lambda's as it is. */
  readonly processor?: BatchProcessorOptions | false;
  readonly queue?: Parameters<typeof scriptedQueue>[1];
  /** Sends what is to be there when the worker starts. */
  readonly before?: (queue: ScriptedQueue) => void;
  /** Is called while it starts. */
  readonly onStarting?: (worker: QueueWorker) => void;
}

export type StartWorkerBench = (handler: RecordHandler, options?: WorkerBenchOptions) => Promise<WorkerBench>;

/** Workers on a scripted queue and a clock that stands still, for the tests of one file; they are stopped after each test. */
export function workerBenches(): StartWorkerBench {
  const workers: { readonly worker: QueueWorker; readonly clock: ManualClock }[] = [];

  afterEach(async () => {
    for (const { worker, clock } of workers.splice(0)) {
      const stopped = worker.stop();
      await clock.advance(60_000);
      await stopped;
    }
  });

  return async (handler, options = {}) => {
    const { processor = {}, queue: how = {}, before, onStarting, clock = manualClock(), ...others } = options;
    const queue = scriptedQueue(clock, how);
    before?.(queue);
    const own =
      processor === false
        ? (handler as unknown as WorkerOptions['handler'])
        : createBatchProcessor(handler, {
            store: memoryStore({ clock }),
            observer: { onEvent: () => undefined },
            clock,
            ...processor,
          });
    const name = how?.fifo === true ? 'orders.fifo' : 'orders';
    const queueUrl = `http://127.0.0.1/000000000000/${name}`;
    const worker = new QueueWorker({ queueUrl, client: {} as never, handler: own, clock, ...others }, queue);
    workers.push({ worker, clock });
    const started = worker.start();
    started.catch(() => undefined); // it is awaited later
    onStarting?.(worker);
    await clock.advance(10);
    await started;
    return { clock, queue, worker };
  };
}

/** A promise that a test resolves. */
export function gate(): { readonly open: () => void; readonly passed: Promise<void> } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}
