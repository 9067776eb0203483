import type { ContenderName } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { nextCell, tableOf } from '../harness/rounds.ts';
import type { WorkerProcess } from '../harness/worker-process.ts';
import type { BatchesJob } from '../worker/jobs.ts';
import type { Mix, Workload } from '../workload.ts';

const BATCHES = 20;
/**
 * Batches at once: enough to keep the processor busy while answers are on their way. Failures one batch at a
 * time: outside Lambda, Powertools' processor keeps the failures of a batch where the next batch finds them.
 */
const AT_ONCE: Readonly<Record<Mix, number>> = { first: 8, duplicates: 8, failures: 1 };
export const MIXES = Object.keys(AT_ONCE) as Mix[];

/**
 * Keeps every contender busy for the same time, until its code is compiled as it is in a function that has
 * been up for a minute. By time and not by batches: a library of few requests would else be measured with
 * its client half compiled. With all mixes: after thousands of batches without a duplicate, V8 compiles two
 * dozen functions again for the first one. Who is warm already is left alone.
 */
export async function warmUp(
  lab: Lab,
  contenders: readonly ContenderName[],
  warmUpMs: number,
  progress: Progress,
  workload: Omit<Workload, 'mix'> = { size: 10, handlerMs: 0 },
): Promise<void> {
  const cold = contenders.filter((contender) => !lab.warm.has(contender));
  if (cold.length === 0) return;
  progress.section('warm-up', cold.length);
  for (const contender of cold) {
    const tableName = tableOf(contender, nextCell());
    const place = { contender, endpoint: lab.endpointOf(contender), tableName };
    await keepBusy(lab.workerOf(contender), place, warmUpMs, workload);
    lab.warm.add(contender);
    progress.step(contender);
  }
}

/** Keeps the process of one contender busy, with all mixes in turn. */
export async function keepBusy(
  worker: WorkerProcess,
  place: Pick<BatchesJob, 'contender' | 'endpoint' | 'tableName'>,
  warmUpMs: number,
  workload: Omit<Workload, 'mix'>,
): Promise<void> {
  const endsAt = performance.now() + warmUpMs;
  for (let turn = 0; performance.now() < endsAt; turn += 1) {
    const mix = MIXES[turn % MIXES.length] ?? 'first';
    await worker.run('batches', {
      ...place,
      workload: { ...workload, mix },
      batches: BATCHES,
      atOnce: AT_ONCE[mix],
      seed: nextCell(),
    });
  }
}
