import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.ts';

/** A figure of the home page, as the benchmark measured it. */
export interface KeyFigure {
  readonly value: string;
  readonly text: string;
}

const RESULTS = 'lab/bench/RESULTS.md';

/** The rows of the benchmark's first table, and what the home page says about each. */
const SHOWN: readonly (readonly [row: string, text: string])[] = [
  [
    'DynamoDB requests per record, batches of 10',
    'fewer DynamoDB requests than Powertools, in batches of 10',
  ],
  ['client CPU per record, batches of 10', 'less CPU per record than Powertools, in batches of 10'],
  ['wall time of a batch of 10', 'of the time that Powertools takes for a batch of 10'],
];

export function keyFigures(results: string): readonly KeyFigure[] {
  return SHOWN.map(([row, text]) => {
    const line = results.split('\n').find((line) => line.startsWith(`| ${row} |`));
    const value = line?.split('|')[3]?.trim();
    if (value === undefined || value === '') throw new Error(`${RESULTS} has no row "${row}"`);
    return { value, text };
  });
}

/** When, and at which commit, the figures were measured. */
export function measuredAt(results: string): string {
  const [, at] = /^Measured (\S+ at commit \w+)/m.exec(results) ?? [];
  if (at === undefined) throw new Error(`${RESULTS} does not say when it was measured`);
  return at;
}

/** The figures as HTML, with their source. */
export function keyFiguresHtml(costsHref: string): string {
  const results = readResults();
  const figures = keyFigures(results).map(
    ({ value, text }) => `<div><dt>${text}</dt><dd>${value}</dd></div>`,
  );
  return `<dl class="key-figures">${figures.join('')}</dl>
<p class="source">Measured ${measuredAt(results)} with a DynamoDB emulator, by <code>npm run bench</code>. <a href="${costsHref}">All figures</a>, and the targets that were missed, are in <code>${RESULTS}</code>.</p>
`;
}

export function keyFiguresMarkdown(): string {
  const results = readResults();
  const figures = keyFigures(results).map(({ value, text }) => `- **${value}** ${text}`);
  return `${figures.join('\n')}\n\nMeasured ${measuredAt(results)} (\`${RESULTS}\`).\n`;
}

function readResults(): string {
  return readFileSync(path.join(ROOT, RESULTS), 'utf8');
}
