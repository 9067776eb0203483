import { setTimeout as delay } from 'node:timers/promises';
import type { Context, SQSEvent } from 'aws-lambda';
import { isSuccess } from '../first-answer.ts';

/** A new process that loads one bundled function, handles one event and says how long each took. */
export interface LoadJob {
  readonly bundle: string;
  readonly event: SQSEvent;
  /** Milliseconds between loading and the event. */
  readonly pauseMs: number;
}

export interface LoadResult {
  /** Importing the bundle. */
  readonly loadMs: number;
  /** The first batch, with all that it still has to load and connect. */
  readonly firstBatchMs: number;
  /** Processor time from the start of the process to the end of the first batch. */
  readonly cpuMs: number;
}

interface LoadedFunction {
  readonly handler: (event: SQSEvent, context: Context) => Promise<unknown>;
}

process.once('message', (message) => {
  void load(message as LoadJob).then((result) => {
    process.send?.(result);
    process.disconnect();
  });
});

async function load({ bundle, event, pauseMs }: LoadJob): Promise<LoadResult> {
  const startedAt = performance.now();
  const { handler } = (await import(bundle)) as LoadedFunction;
  const loadedAt = performance.now();
  if (pauseMs > 0) await delay(pauseMs);
  const deliveredAt = performance.now();
  const answer = await handler(event, context());
  const endedAt = performance.now();
  if (!isSuccess(answer)) throw new Error(`The function failed: ${JSON.stringify(answer)}`);
  const { user, system } = process.cpuUsage();
  return {
    loadMs: loadedAt - startedAt,
    firstBatchMs: endedAt - deliveredAt,
    cpuMs: (user + system) / 1_000,
  };
}

/** By hand, so that nothing is loaded that the bundle would load. */
function context(): Context {
  return {
    functionName: 'orders',
    functionVersion: '$LATEST',
    awsRequestId: 'request-1',
    getRemainingTimeInMillis: () => 30_000,
  } as Context;
}
