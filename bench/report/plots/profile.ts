import * as Plot from '@observablehq/plot';
import type { Figures } from '../../figures.ts';
import { TITLES } from '../lookup.ts';
import type { PlotFile } from './plot-file.ts';
import { WIDTH } from './series.ts';
import { svgOf } from './svg.ts';

/** Whose code the time is spent in, in the order of the stacked bars. */
const GROUP_COLOURS: Readonly<Record<string, string>> = {
  batchlatch: '#2f81f7',
  "batchlatch's dependencies": '#79c0ff',
  Powertools: '#e07a2f',
  'AWS SDK': '#a371f7',
  'Node (HTTP, sockets, timers, events)': '#3fb950',
  'writes to sockets (and waiting there)': '#1a7f37',
  'hashes and random numbers (node:crypto)': '#39c5cf',
  'garbage collection': '#f85149',
  'V8 and native': '#d29922',
  'the benchmark itself (handler, floor)': '#8b949e',
};
const OTHER_COLOUR = '#db61a2';
const BAR = 34;
const LEGEND_ROW = 20;

/** Stacked bars: one for each profile. */
export function profilePlot({ profiles }: Figures): PlotFile | undefined {
  const known = Object.keys(GROUP_COLOURS);
  const bars = profiles
    .flatMap(({ contender, workload, groups }) => {
      const store = contender.includes('memory') ? ', memory store' : '';
      const name = `${TITLES[contender]}${store}, ${workload.size}`;
      return Object.entries(groups).map(([group, micros]) => ({ name, group, micros }));
    })
    .sort((a, b) => known.indexOf(a.group) - known.indexOf(b.group));
  if (bars.length === 0) return undefined;
  const names = profiles.map(({ contender, workload }) => {
    const store = contender.includes('memory') ? ', memory store' : '';
    return `${TITLES[contender]}${store}, ${workload.size}`;
  });
  const groups = [...new Set(bars.map(({ group }) => group))];
  const title = "Where a record's time goes, under the profiler";
  const legendHeight = LEGEND_ROW * groups.length;
  const svg = svgOf(title, {
    width: WIDTH,
    height: 80 + BAR * names.length + legendHeight,
    marginLeft: 220,
    marginTop: 12,
    marginRight: 24,
    marginBottom: 68 + legendHeight,
    color: { domain: groups, range: groups.map((group) => GROUP_COLOURS[group] ?? OTHER_COLOUR) },
    x: {
      label: 'µs per record',
      labelAnchor: 'center',
      labelArrow: 'none',
      labelOffset: 36,
      grid: true,
      ticks: 6,
    },
    y: { domain: names, label: null, tickSize: 0 },
    marks: [
      Plot.barX(bars, { x: 'micros', y: 'name', fill: 'group' }),
      ...groups.flatMap((group, row) => legendBelow(group, row)),
    ],
  });
  return { file: 'profile.svg', title, svg };
}

function legendBelow(group: string, row: number): Plot.Markish[] {
  const at = { frameAnchor: 'bottom-left', dy: 60 + LEGEND_ROW * row } as const;
  return [
    Plot.dot([group], { ...at, fill: GROUP_COLOURS[group] ?? OTHER_COLOUR, symbol: 'square', r: 5, dx: 6 }),
    Plot.text([group], { ...at, text: [group], textAnchor: 'start', lineAnchor: 'middle', dx: 18 }),
  ];
}
