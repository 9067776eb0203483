import * as Plot from '@observablehq/plot';
import domino from '@mixmark-io/domino';

/** Legible on white and on a dark page: text and axes follow the reader's colour scheme, series keep theirs. */
const STYLE = `<style>
svg { color: #1f2328; background: transparent; }
@media (prefers-color-scheme: dark) { svg { color: #d1d7e0; } }
</style>`;

/** Draws a plot to the text of an SVG file, without a browser. */
export function svgOf(title: string, options: Plot.PlotOptions): string {
  const document = domino.createDocument();
  // A title or a caption would make it HTML: the picture names itself for those who cannot see it.
  const svg = Plot.plot({ document, ariaLabel: title, style: { fontSize: '12px' }, ...options });
  return svg.outerHTML
    .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" role="img" ')
    .replace('>', `>${STYLE}<title>${title}</title>`);
}
