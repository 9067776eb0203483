import { makeBatch } from '../workload.ts';
import { handlerFor } from './handlers.ts';
import type { MemoryJob, MemoryResult, MemorySample } from './jobs.ts';
import { runOne } from './run-batches.ts';

/** Runs many batches, and looks at the memory every few of them. The process needs `--expose-gc`. */
export async function runMemory(job: MemoryJob): Promise<MemoryResult> {
  const handler = await handlerFor(job.contender, job, job.workload);
  const samples: MemorySample[] = [];
  for (let batch = 1; batch <= job.batches; batch += 1) {
    await runOne(handler, makeBatch(job.workload, `${job.seed}:${batch}`));
    if (batch % job.every === 0) samples.push(sample(batch));
  }
  return { samples, peakRssBytes: process.resourceUsage().maxRSS * 1_024 };
}

function sample(batch: number): MemorySample {
  const rssBytes = process.memoryUsage().rss;
  globalThis.gc?.();
  return { batch, rssBytes, heapBytes: process.memoryUsage().heapUsed };
}
