import type { ContenderName } from '../../contenders/index.ts';
import type { Figures } from '../../figures.ts';
import type { Cell, ContenderFigures } from '../../sections/cells.ts';
import { growthExponent } from '../../statistics.ts';
import { number, spread, table, timesSpread } from '../format.ts';
import { TITLES } from '../lookup.ts';

/** What a batch costs as a power of its size: 1 is linear. */
export function growthTable({ comparison }: Figures): string {
  const cells = comparison.filter(({ workload }) => workload.handlerMs === 0 && workload.mix === 'first');
  const names = ['powertools', 'batchlatch', 'floor'] as const;
  return table(
    ['', 'CPU of a batch grows with its size to the power of', 'wall time', 'requests'],
    names.map((name) => [
      TITLES[name],
      exponent(cells, name, ({ cpuMicros }, size) => cpuMicros.median * size),
      exponent(cells, name, ({ wallMs }) => wallMs.p50),
      exponent(cells, name, ({ requestsPerRecord }, size) => requestsPerRecord * size),
    ]),
  );
}

function exponent(
  cells: readonly Cell[],
  name: ContenderName,
  cost: (figures: ContenderFigures, size: number) => number,
): string {
  const points = cells.flatMap(({ workload: { size }, contenders }) => {
    const figures = contenders[name];
    return figures === undefined ? [] : [[size, cost(figures, size)] as const];
  });
  return points.length < 2 ? '–' : growthExponent(points).toFixed(2);
}

export function tableKeysTable({ tableKeys }: Figures): string {
  const rows = tableKeys.flatMap(({ keys, cell: { contenders } }) =>
    Object.entries(contenders).map(([name, own]) => [
      number(keys),
      TITLES[name as ContenderName],
      spread(own.cpuMicros),
      timesSpread(own.timesLess.cpu),
      number(own.wallMs.p50),
      timesSpread(own.timesLess.wall),
    ]),
  );
  return table(
    ['keys in the table', '', 'CPU, µs per record', 'less CPU', 'wall p50, ms', 'less wall time'],
    rows,
    2,
  );
}
