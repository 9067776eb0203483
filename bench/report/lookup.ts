import type { ContenderName } from '../contenders/index.ts';
import type { Cell, ContenderFigures } from '../sections/cells.ts';
import type { Workload } from '../workload.ts';

/** The figures of one contender in the cell of a workload, if that was measured. */
export function figuresOf(
  cells: readonly Cell[],
  wanted: Partial<Workload>,
  contender: ContenderName,
): ContenderFigures | undefined {
  const { size, handlerMs = 0, mix = 'first', groups } = wanted;
  const cell = cells.find(
    ({ workload }) =>
      workload.size === size &&
      workload.handlerMs === handlerMs &&
      workload.mix === mix &&
      workload.groups === groups,
  );
  return cell?.contenders[contender];
}

/** What contenders are called on the page. */
export const TITLES: Readonly<Record<ContenderName, string>> = {
  batchlatch: 'batchlatch',
  'batchlatch-silent': 'batchlatch, no log',
  'batchlatch-own-client': 'batchlatch, its own client',
  'batchlatch-memory': 'batchlatch',
  'batchlatch-memory-silent': 'batchlatch, no log',
  powertools: 'Powertools',
  'powertools-own-client': 'Powertools, its own client',
  'powertools-memory': 'Powertools',
  floor: 'floor',
  'floor-single': 'floor, one request a write',
};
