import type { ContenderName } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { nextCell } from '../harness/rounds.ts';
import { WorkerProcess } from '../harness/worker-process.ts';
import type { Plan } from '../plan.ts';
import { slope } from '../statistics.ts';
import type { MemorySample } from '../worker/jobs.ts';

const SIZE = 1_000;
/** Compiled code and filled caches come with the first batches; growth is counted from here on. */
const SETTLED_SHARE = 0.25;

export interface MemoryFigures {
  readonly contender: ContenderName;
  readonly batches: number;
  readonly samples: readonly MemorySample[];
  readonly peakRssBytes: number;
  /** Growth of the live heap from batch to batch, after the first quarter, by the line that fits best. */
  readonly heapBytesPerBatch: number;
}

/** Many batches of 1,000 in new processes. They run at once: memory does not mind sharing processors. */
export async function measureMemory(lab: Lab, plan: Plan, progress: Progress): Promise<MemoryFigures[]> {
  const { batches, batchesOfPowertools, every } = plan.memory;
  progress.section('memory', 2);
  return Promise.all([
    run(lab, 'powertools', batchesOfPowertools, every, progress),
    run(lab, 'batchlatch', batches, every, progress),
  ]);
}

async function run(
  lab: Lab,
  contender: ContenderName,
  batches: number,
  every: number,
  progress: Progress,
): Promise<MemoryFigures> {
  const worker = lab.add(new WorkerProcess({ nodeOptions: ['--expose-gc'] }));
  const cell = nextCell();
  const { samples, peakRssBytes } = await worker.run('memory', {
    contender,
    endpoint: lab.emulator.endpoint,
    tableName: `${contender}-${cell}`,
    workload: { size: SIZE, handlerMs: 0, mix: 'first' },
    batches,
    every,
    seed: cell,
  });
  await worker.stop();
  progress.step(contender);
  const settled = samples.filter(({ batch }) => batch >= batches * SETTLED_SHARE);
  return {
    contender,
    batches,
    samples,
    peakRssBytes,
    heapBytesPerBatch: slope(settled.map(({ batch, heapBytes }) => [batch, heapBytes])),
  };
}
