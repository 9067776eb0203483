import { COMPARED, EVERYBODY, isMain, OVER_TLS } from '../compared.ts';
import type { ContenderName } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import { serveOverTls } from '../harness/tls-proxy.ts';
import type { CellPlan, Plan } from '../plan.ts';
import { nameOf, type Workload } from '../workload.ts';
import { type Cell, measureCell } from './cells.ts';
import { warmUp } from './warm-up.ts';

/** The peer, this library and the floor, over batch sizes, handlers and mixes; in the main cells, the others too. */
export async function measureComparison(lab: Lab, plan: Plan, progress: Progress): Promise<Cell[]> {
  await warmUp(lab, EVERYBODY, plan.warmUpMs, progress);
  const contendersOf = (workload: Workload): readonly ContenderName[] =>
    isMain(workload) ? EVERYBODY : COMPARED;
  return measureCells(lab, plan.comparison, contendersOf, 'comparison', progress);
}

/** The same with TLS between client and emulator, as in AWS: it decides which client of HTTP is used. */
export async function measureOverTls(lab: Lab, plan: Plan, progress: Progress): Promise<Cell[]> {
  const proxy = await serveOverTls(lab);
  await warmUp(lab, OVER_TLS, plan.warmUpMs, progress);
  const cells = await measureCells(lab, plan.overTls, () => OVER_TLS, 'over TLS', progress, 'powertools-tls');
  await proxy.stop();
  return cells;
}

/** What is left of the difference when something else is the same, or different. */
export async function measureVariants(lab: Lab, plan: Plan, progress: Progress): Promise<Cell[]> {
  if (plan.variants.length === 0) return [];
  const contenders: readonly ContenderName[] = [
    'powertools',
    'powertools-own-client',
    'batchlatch',
    'batchlatch-sdk-client',
    'batchlatch-silent',
    'floor-single',
  ];
  await warmUp(lab, contenders, plan.warmUpMs, progress);
  return measureCells(lab, plan.variants, () => contenders, 'variants', progress);
}

async function measureCells(
  lab: Lab,
  plans: readonly CellPlan[],
  contendersOf: (workload: Workload) => readonly ContenderName[],
  name: string,
  progress: Progress,
  reference: ContenderName = 'powertools',
): Promise<Cell[]> {
  progress.section(name, plans.length);
  const cells: Cell[] = [];
  // The largest first: what few requests are measured on is measured when the code for them is warmest.
  for (const plan of plans.toReversed()) {
    cells.unshift(await measureCell(lab, plan, contendersOf(plan.workload), reference));
    progress.step(nameOf(plan.workload));
  }
  return cells;
}
