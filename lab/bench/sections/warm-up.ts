import type { ContenderName } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import type { Workload } from '../workload.ts';
import { nextCell } from '../harness/rounds.ts';

const BATCHES = 20;
/** Enough to keep the processor busy while answers are on their way. */
const AT_ONCE = 8;

/**
 * Keeps every contender busy for the same time, until its code is compiled as it is in a function that has
 * been up for a minute. By time and not by batches: a library of few requests would else be measured with
 * its client half compiled. Who is warm already is left alone.
 */
export async function warmUp(
  lab: Lab,
  contenders: readonly ContenderName[],
  warmUpMs: number,
  progress: Progress,
  workload: Workload = { size: 10, handlerMs: 0, mix: 'first' },
): Promise<void> {
  const cold = contenders.filter((contender) => !lab.warm.has(contender));
  if (cold.length === 0) return;
  progress.section('warm-up', cold.length);
  for (const contender of cold) {
    const tableName = `${contender}-${nextCell()}`;
    const endsAt = performance.now() + warmUpMs;
    while (performance.now() < endsAt) {
      await lab.workerOf(contender).run('batches', {
        contender,
        endpoint: lab.endpointOf(contender),
        tableName,
        workload,
        batches: BATCHES,
        atOnce: AT_ONCE,
        seed: nextCell(),
      });
    }
    lab.warm.add(contender);
    progress.step(contender);
  }
}
