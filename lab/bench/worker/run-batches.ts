import { type Batch, contextOfBatch, makeBatch } from '../workload.ts';
import type { BatchHandler } from '../contenders/contender.ts';
import { countRequests } from '../requests-sent.ts';
import { handlerFor } from './handlers.ts';
import type { BatchesJob, BatchesResult, ProfileResult } from './jobs.ts';
import { profile } from './profile.ts';

/** Makes all events first, then measures the handler and nothing else. */
export async function runBatches(job: BatchesJob): Promise<BatchesResult> {
  const { handler, batches } = await prepare(job);
  const cpuBefore = process.cpuUsage();
  const wallMs: number[] = [];
  const waiting = batches.values();
  const inTurn = async (): Promise<void> => {
    for (const batch of waiting) wallMs.push(await runOne(handler, batch));
  };
  await Promise.all(Array.from({ length: job.atOnce ?? 1 }, inTurn));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    records: batches.length * job.workload.size,
    wallMs,
    cpuMicros: user + system,
    requests: batches.length * (await requestsOfBatch(handler, job)),
  };
}

/** What each kind of batch was seen to send, in this process. */
const counted = new Map<string, number>();

/** Counts what one more batch of the same kind sends, once. */
async function requestsOfBatch(
  handler: BatchHandler,
  { contender, workload, part, seed }: BatchesJob,
): Promise<number> {
  if (part === 'before') return 0;
  const kind = JSON.stringify([contender, workload]);
  const known = counted.get(kind);
  if (known !== undefined) return known;
  const batch = makeBatch(workload, `${seed}:counted`);
  if (batch.deliveredBefore !== undefined) await handler(batch.deliveredBefore, contextOfBatch());
  const requests = await countRequests(() => runOne(handler, batch));
  counted.set(kind, requests);
  return requests;
}

/** The same under the profiler, which makes everything slower: for shares, not for totals. */
export async function runProfiled(job: BatchesJob): Promise<ProfileResult> {
  const { handler, batches } = await prepare(job);
  return profile(batches.length * job.workload.size, async () => {
    for (const batch of batches) await runOne(handler, batch);
  });
}

async function prepare(job: BatchesJob): Promise<{ handler: BatchHandler; batches: Batch[] }> {
  const handler = await handlerFor(job.contender, job, job.workload);
  const batches = Array.from({ length: job.batches }, (_, index) =>
    makeBatch(job.workload, `${job.seed}:${index}`),
  );
  for (const { deliveredBefore } of job.part === 'batches' ? [] : batches) {
    if (deliveredBefore !== undefined) await handler(deliveredBefore, contextOfBatch());
  }
  return { handler, batches: job.part === 'before' ? [] : batches };
}

/** Runs one batch and checks the answer: a contender that fails fast must not look fast. */
export async function runOne(handler: BatchHandler, { event, failures }: Batch): Promise<number> {
  const context = contextOfBatch();
  const startedAt = performance.now();
  const { batchItemFailures } = await handler(event, context);
  const wallMs = performance.now() - startedAt;
  if (batchItemFailures.length !== failures) {
    throw new Error(`Expected ${failures} failed records, got ${batchItemFailures.length}`);
  }
  return wallMs;
}
