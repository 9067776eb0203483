import * as Plot from '@observablehq/plot';

/** One colour for each contender, legible on white and on black. */
export const SERIES = {
  domain: ['Powertools', 'batchlatch', 'floor'],
  range: ['#e07a2f', '#2f81f7', '#8b949e'],
};
export const WIDTH = 720;

/** Plot's own legends are HTML; these are part of the picture. */
export function legendAbove(names: ReadonlySet<string>): Plot.Markish[] {
  return SERIES.domain
    .filter((name) => names.has(name))
    .flatMap((name, place) => {
      const at = { frameAnchor: 'top-left', dy: -24 } as const;
      const dx = 250 + 120 * place;
      return [
        Plot.dot([name], { ...at, fill: colourOf(name), symbol: 'square', r: 5, dx }),
        Plot.text([name], { ...at, text: [name], textAnchor: 'start', lineAnchor: 'middle', dx: dx + 12 }),
      ];
    });
}

function colourOf(name: string): string {
  return SERIES.range[SERIES.domain.indexOf(name)] ?? 'currentColor';
}
