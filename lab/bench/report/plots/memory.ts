import * as Plot from '@observablehq/plot';
import type { Figures } from '../../figures.ts';
import { TITLES } from '../lookup.ts';
import type { PlotFile } from './plot-file.ts';
import { legendAbove, SERIES, WIDTH } from './series.ts';
import { svgOf } from './svg.ts';

/** The live heap from batch to batch. */
export function memoryPlot({ memory }: Figures): PlotFile | undefined {
  const points = memory.flatMap(({ contender, samples }) =>
    samples.map(({ batch, heapBytes }) => ({
      batch,
      megabytes: heapBytes / 2 ** 20,
      name: TITLES[contender],
    })),
  );
  if (points.length === 0) return undefined;
  const title = 'Live heap over batches of 1,000 records';
  const svg = svgOf(title, {
    width: WIDTH,
    height: 320,
    marginLeft: 56,
    marginRight: 24,
    marginTop: 40,
    marginBottom: 44,
    color: SERIES,
    x: { label: 'batches processed', labelAnchor: 'center', labelArrow: 'none' },
    y: { label: 'MB after a full collection', labelArrow: 'none', grid: true, zero: true },
    marks: [
      Plot.line(points, { x: 'batch', y: 'megabytes', stroke: 'name', strokeWidth: 2 }),
      ...legendAbove(new Set(points.map(({ name }) => name))),
    ],
  });
  return { file: 'memory.svg', title, svg };
}
