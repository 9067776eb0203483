import * as Plot from '@observablehq/plot';
import { number } from '../format.ts';
import type { PlotFile } from './plot-file.ts';
import { legendAbove, legendBelow, legendHeight, type Series, SERIES, WIDTH } from './series.ts';
import { svgOf } from './svg.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
  readonly low: number;
  readonly high: number;
  readonly name: string;
}

/** Both axes logarithmic, a line for each contender, its spread as a bar. Series of one's own have their names below. */
export function linesPlot(
  file: string,
  title: string,
  points: readonly Point[],
  xLabel: string,
  yLabel: string,
  series: Series = SERIES,
): PlotFile | undefined {
  const places = [...new Set(points.map(({ x }) => x))];
  if (places.length < 2) return undefined;
  const names = new Set(points.map(({ name }) => name));
  const below = series === SERIES ? 0 : legendHeight(names);
  const svg = svgOf(title, {
    width: WIDTH,
    height: 380 + below,
    marginLeft: 64,
    marginRight: 24,
    marginTop: 40,
    marginBottom: 44 + below,
    color: series,
    x: {
      type: 'log',
      ticks: places,
      tickFormat: ',d',
      label: xLabel,
      labelAnchor: 'center',
      labelArrow: 'none',
      labelOffset: 36,
    },
    y: { type: 'log', label: yLabel, labelArrow: 'none' },
    marks: [
      Plot.gridY(ticksFor(points)),
      // As `text`: a logarithmic axis drops every format but its own from half of the ticks.
      Plot.axisY(ticksFor(points), {
        text: (tick: number) => number(tick),
        label: yLabel,
        labelArrow: 'none',
      }),
      Plot.ruleX(points, {
        x: 'x',
        y1: 'low',
        y2: 'high',
        stroke: 'name',
        strokeOpacity: 0.4,
        strokeWidth: 4,
      }),
      Plot.line(points, { x: 'x', y: 'y', stroke: 'name', strokeWidth: 2, marker: 'dot' }),
      ...(series === SERIES ? legendAbove(names) : legendBelow(series, names)),
    ],
  });
  return { file: `${file}.svg`, title, svg };
}

/** 1, 2, 5, 10, … across the points: a logarithmic axis that can be read. */
function ticksFor(points: readonly Point[]): number[] {
  const lowest = Math.min(...points.map(({ low }) => low));
  const highest = Math.max(...points.map(({ high }) => high));
  const ticks: number[] = [];
  for (let decade = 10 ** Math.floor(Math.log10(lowest)); decade <= highest; decade *= 10) {
    ticks.push(...[1, 2, 5].map((step) => step * decade));
  }
  return ticks.filter((tick) => tick >= lowest && tick <= highest);
}
