import * as Plot from '@observablehq/plot';

/** One colour for each contender, legible on white and on black. */
export interface Series {
  readonly domain: readonly string[];
  readonly range: readonly string[];
}

export const SERIES: Series = {
  domain: ['Powertools', 'batchlatch', 'floor'],
  range: ['#e07a2f', '#2f81f7', '#8b949e'],
};
export const WIDTH = 720;

/** Plot's own legends are HTML; these are part of the picture. */
export function legendAbove(names: ReadonlySet<string>): Plot.Markish[] {
  return SERIES.domain
    .filter((name) => names.has(name))
    .flatMap((name, place) => entry(SERIES, name, 'top-left', 250 + 120 * place, -24));
}

const COLUMNS = 3;
const COLUMN = 220;
const ROW = 20;
/** From the plot's lower edge, below the axis and its label. */
const FIRST_ROW = 56;

/** How much higher a plot is with a legend of so many names below it. */
export function legendHeight(names: ReadonlySet<string>): number {
  return ROW * Math.ceil(names.size / COLUMNS);
}

/** For more names than fit above. */
export function legendBelow(series: Series, names: ReadonlySet<string>): Plot.Markish[] {
  return series.domain
    .filter((name) => names.has(name))
    .flatMap((name, place) => {
      const dy = FIRST_ROW + ROW * Math.floor(place / COLUMNS);
      return entry(series, name, 'bottom-left', COLUMN * (place % COLUMNS), dy);
    });
}

function entry(
  { domain, range }: Series,
  name: string,
  frameAnchor: 'top-left' | 'bottom-left',
  dx: number,
  dy: number,
): Plot.Markish[] {
  const fill = range[domain.indexOf(name)] ?? 'currentColor';
  const at = { frameAnchor, dy } as const;
  return [
    Plot.dot([name], { ...at, fill, symbol: 'square', r: 5, dx }),
    Plot.text([name], { ...at, text: [name], textAnchor: 'start', lineAnchor: 'middle', dx: dx + 12 }),
  ];
}
