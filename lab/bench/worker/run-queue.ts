import { setTimeout as delay } from 'node:timers/promises';
import { consumers } from '../consumers/load-consumer.ts';
import type { QueueJob, QueueResult } from './jobs.ts';
import { ensureTable } from './table.ts';

/** Works a filled queue until all is done or the time is over. */
export async function runQueue(job: QueueJob): Promise<QueueResult> {
  const { consumer, queueUrl, tableName, endpoint, messages, limitMs } = job;
  process.env['AWS_ENDPOINT_URL_DYNAMODB'] = endpoint;
  if (consumer === 'batchlatch-worker-claims') await ensureTable(endpoint, tableName);
  const start = await consumers[consumer]();
  let done = 0;
  let lastAt = 0;
  const finished = new AbortController();
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const stop = await start({
    queueUrl,
    tableName,
    async work(body) {
      const { waitMs } = JSON.parse(body) as QueuedWork;
      if (waitMs > 0) await delay(waitMs);
      done += 1;
      lastAt = performance.now();
      if (done === messages) finished.abort();
    },
  });
  await delay(limitMs, undefined, { signal: finished.signal }).catch(() => undefined);
  const { user, system } = process.cpuUsage(before);
  const result = { messages: done, seconds: (lastAt - startedAt) / 1_000, cpuMicros: user + system };
  await stop();
  return result;
}

/** The body of a message. */
export interface QueuedWork {
  readonly waitMs: number;
  /** Makes it as long as an order. */
  readonly text: string;
}
