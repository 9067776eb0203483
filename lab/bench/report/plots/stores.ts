import { STORES } from '../../compared.ts';
import type { Figures } from '../../figures.ts';
import type { ContenderFigures } from '../../sections/cells.ts';
import { storeTitle } from '../lookup.ts';
import { linesPlot, type Point } from './lines.ts';
import type { PlotFile } from './plot-file.ts';
import type { Series } from './series.ts';

/** A server has a colour; who takes each record by itself there has a lighter one of it. */
const COLOURS: Readonly<Record<(typeof STORES)[number], string>> = {
  'batchlatch-memory': '#8b949e',
  batchlatch: '#d29922',
  'batchlatch-postgres': '#2f81f7',
  'batchlatch-postgres-prepared': '#1158c7',
  'by-hand-postgres': '#79c0ff',
  'floor-postgres': '#adbac7',
  'batchlatch-redis': '#f85149',
  'batchlatch-ioredis': '#db61a2',
  'powertools-redis': '#e07a2f',
  'floor-redis': '#d8b4a0',
};

const SERIES: Series = { domain: STORES.map(storeTitle), range: STORES.map((name) => COLOURS[name]) };

export function storePlots({ stores }: Figures): (PlotFile | undefined)[] {
  return [
    plot(
      stores.cells,
      'stores-cpu',
      'Client CPU per record on each store',
      'µs of CPU per record',
      (own) => ({
        y: own.cpuMicros.median,
        low: own.cpuMicros.low,
        high: own.cpuMicros.high,
      }),
    ),
    plot(
      stores.cells,
      'stores-wall',
      'Wall time of a batch on each store, p50 and up to p99',
      'milliseconds',
      ({ wallMs: { p50, p99 } }) => ({ y: p50, low: p50, high: p99 }),
    ),
  ];
}

function plot(
  cells: Figures['stores']['cells'],
  file: string,
  title: string,
  yLabel: string,
  measure: (own: ContenderFigures) => Omit<Point, 'x' | 'name'>,
): PlotFile | undefined {
  const points = cells
    .filter(({ workload }) => workload.mix === 'first')
    .flatMap(({ workload, contenders }) =>
      STORES.flatMap((name) => {
        const own = contenders[name];
        return own === undefined ? [] : [{ x: workload.size, name: storeTitle(name), ...measure(own) }];
      }),
    );
  return linesPlot(file, title, points, 'records in a batch', yLabel, SERIES);
}
