import * as Plot from '@observablehq/plot';
import type { Figures } from '../../figures.ts';
import { colourOfGroup, PROFILE_GROUPS } from '../../profile-groups.ts';
import { titleOfProfile } from '../lookup.ts';
import type { PlotFile } from './plot-file.ts';
import { WIDTH } from './series.ts';
import { svgOf } from './svg.ts';

const BAR = 34;
const LEGEND_ROW = 20;

/** Stacked bars: one for each profile. */
export function profilePlot({ profiles }: Figures): PlotFile | undefined {
  const known = PROFILE_GROUPS.map(({ name }) => name);
  const bars = profiles
    .flatMap((profile) =>
      Object.entries(profile.groups).map(([group, micros]) => ({
        name: titleOfProfile(profile),
        group,
        micros,
      })),
    )
    .sort((a, b) => known.indexOf(a.group) - known.indexOf(b.group));
  if (bars.length === 0) return undefined;
  const names = profiles.map(titleOfProfile);
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
    color: { domain: groups, range: groups.map(colourOfGroup) },
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
    Plot.dot([group], { ...at, fill: colourOfGroup(group), symbol: 'square', r: 5, dx: 6 }),
    Plot.text([group], { ...at, text: [group], textAnchor: 'start', lineAnchor: 'middle', dx: 18 }),
  ];
}
