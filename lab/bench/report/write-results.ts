import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Figures } from '../figures.ts';
import { BENCH, ROOT } from '../harness/paths.ts';
import { costsBlocks, withBlocks } from './costs-page.ts';
import { pageOf } from './page.ts';
import { plotsOf } from './plots/index.ts';

/** Writes the page and its plots, and the measured parts of docs/costs.md; they are published as they are. */
export async function writeResults(figures: Figures): Promise<void> {
  const plots = plotsOf(figures);
  const folder = path.join(BENCH, 'plots');
  await mkdir(folder, { recursive: true });
  await Promise.all(plots.map(({ file, svg }) => writeFile(path.join(folder, file), `${svg}\n`)));
  await writeFile(path.join(BENCH, 'RESULTS.md'), pageOf(figures, plots));
  const costs = path.join(ROOT, 'docs/costs.md');
  await writeFile(costs, withBlocks(await readFile(costs, 'utf8'), costsBlocks(figures)));
}
