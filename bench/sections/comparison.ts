import type { ContenderName } from '../contenders/index.ts';
import type { Lab } from '../harness/lab.ts';
import type { Progress } from '../harness/progress.ts';
import type { CellPlan, Plan } from '../plan.ts';
import { nameOf } from '../workload.ts';
import { type Cell, measureCell } from './cells.ts';
import { warmUp } from './warm-up.ts';

export const COMPARED: readonly ContenderName[] = ['powertools', 'batchlatch', 'floor'];

/** The peer, this library and the floor, over batch sizes, handlers and mixes. */
export async function measureComparison(lab: Lab, plan: Plan, progress: Progress): Promise<Cell[]> {
  return measureCells(lab, plan, plan.comparison, COMPARED, 'comparison', progress);
}

/** What is left of the difference when something else is the same, or different. */
export async function measureVariants(lab: Lab, plan: Plan, progress: Progress): Promise<Cell[]> {
  const contenders: readonly ContenderName[] = [
    'powertools',
    'powertools-own-client',
    'batchlatch',
    'batchlatch-own-client',
    'batchlatch-silent',
    'floor-single',
  ];
  return measureCells(lab, plan, plan.variants, contenders, 'variants', progress);
}

async function measureCells(
  lab: Lab,
  { warmUpMs }: Plan,
  plans: readonly CellPlan[],
  contenders: readonly ContenderName[],
  name: string,
  progress: Progress,
): Promise<Cell[]> {
  if (plans.length === 0) return [];
  await warmUp(lab, contenders, warmUpMs, progress);
  progress.section(name, plans.length);
  const cells: Cell[] = [];
  // The largest first: what few requests are measured on is measured when the code for them is warmest.
  for (const plan of plans.toReversed()) {
    cells.unshift(await measureCell(lab, plan, contenders, 'powertools'));
    progress.step(nameOf(plan.workload));
  }
  return cells;
}
