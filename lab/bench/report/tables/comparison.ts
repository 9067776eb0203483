import type { Cell, ContenderFigures } from '../../sections/cells.ts';
import type { Workload } from '../../workload.ts';
import { number, spread, table, times, timesSpread } from '../format.ts';
import { MIX_TITLES } from '../lookup.ts';

export function requestsTable(cells: readonly Cell[]): string {
  return comparisonTable(
    cells,
    ({ requestsPerRecord }) => number(requestsPerRecord),
    (own) => times(own.timesLess.requests),
  );
}

export function cpuTable(cells: readonly Cell[]): string {
  return comparisonTable(
    cells,
    ({ cpuMicros }) => spread(cpuMicros),
    (own) => timesSpread(own.timesLess.cpu),
  );
}

export function throughputTable(cells: readonly Cell[]): string {
  return comparisonTable(
    cells,
    ({ recordsPerSecondPerCore }) => number(recordsPerSecondPerCore),
    (own) => times(own.timesLess.cpu.median),
  );
}

export function wallTable(cells: readonly Cell[]): string {
  return comparisonTable(
    cells,
    ({ wallMs }) => `${number(wallMs.p50)} / ${number(wallMs.p99)}`,
    (own) => timesSpread(own.timesLess.wall),
  );
}

/** A row for each workload, a column for each contender, and how many times less than Powertools at the end. */
function comparisonTable(
  cells: readonly Cell[],
  show: (figures: ContenderFigures) => string,
  ratio: (own: ContenderFigures) => string,
): string {
  const rows = cells.map(({ workload, contenders }) => {
    const { powertools, batchlatch, floor } = contenders;
    const figures = [powertools, batchlatch, floor].map((one) => (one === undefined ? '–' : show(one)));
    const ratios = [batchlatch, floor].map((one) => (one === undefined ? '–' : ratio(one)));
    return [...workloadCells(workload), ...figures, ...ratios];
  });
  const headings = ['batch', 'handler', 'records', 'Powertools', 'batchlatch', 'floor'];
  return table([...headings, 'batchlatch against Powertools', 'floor against Powertools'], rows, 3);
}

function workloadCells({ size, handlerMs, mix, groups }: Workload): string[] {
  const queue = groups === undefined ? '' : `, FIFO, ${groups} groups`;
  return [number(size), `${handlerMs} ms`, `${MIX_TITLES[mix]}${queue}`];
}
