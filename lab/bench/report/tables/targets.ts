import type { Figures } from '../../figures.ts';
import { table } from '../format.ts';
import { targetsOf } from '../targets.ts';

export function targetsTable(figures: Figures): string {
  return table(
    ['figure', 'target', 'this run', ''],
    targetsOf(figures).map(({ figure, wanted, measured, isReached }) => [
      figure,
      wanted,
      measured,
      isReached ? 'reached' : '**missed**',
    ]),
    4,
  );
}
