import type { ContenderName } from '../../contenders/index.ts';
import type { Figures } from '../../figures.ts';
import type { ContenderFigures } from '../../sections/cells.ts';
import { COMPARED } from '../../compared.ts';
import { TITLES } from '../lookup.ts';
import { linesPlot, type Point } from './lines.ts';
import { memoryPlot } from './memory.ts';
import type { PlotFile } from './plot-file.ts';
import { profilePlot } from './profile.ts';
import { storePlots } from './stores.ts';

/** The plots that there are figures for. */
export function plotsOf(figures: Figures): PlotFile[] {
  return [
    cpuPlot(figures),
    wallPlot(figures),
    profilePlot(figures),
    ...storePlots(figures),
    keysPlot(figures),
    memoryPlot(figures),
  ].filter((plot) => plot !== undefined);
}

function cpuPlot(figures: Figures): PlotFile | undefined {
  const points = bySize(figures, ({ cpuMicros: { median, low, high } }) => ({ y: median, low, high }));
  return linesPlot(
    'cpu',
    'Client CPU per record, by batch size',
    points,
    'records in a batch',
    'µs of CPU per record',
  );
}

function wallPlot(figures: Figures): PlotFile | undefined {
  const points = bySize(figures, ({ wallMs: { p50, p99 } }) => ({ y: p50, low: p50, high: p99 }));
  return linesPlot(
    'wall',
    'Wall time of a batch, p50 and up to p99',
    points,
    'records in a batch',
    'milliseconds',
  );
}

function keysPlot({ tableKeys }: Figures): PlotFile | undefined {
  const points = tableKeys.flatMap(({ keys, cell }) =>
    pointsOf(keys, cell.contenders, ({ cpuMicros: { median, low, high } }) => ({ y: median, low, high })),
  );
  return linesPlot(
    'keys',
    'Client CPU per record, by keys in the table',
    points,
    'keys in the table',
    'µs of CPU per record',
  );
}

type Measure = (figures: ContenderFigures) => Omit<Point, 'x' | 'name'>;

function bySize({ comparison }: Figures, measure: Measure): Point[] {
  return comparison
    .filter(({ workload }) => workload.handlerMs === 0 && workload.mix === 'first')
    .flatMap(({ workload, contenders }) => pointsOf(workload.size, contenders, measure));
}

function pointsOf(
  x: number,
  contenders: Readonly<Partial<Record<ContenderName, ContenderFigures>>>,
  measure: Measure,
): Point[] {
  return COMPARED.flatMap((name) => {
    const figures = contenders[name];
    return figures === undefined ? [] : [{ x, name: TITLES[name], ...measure(figures) }];
  });
}
