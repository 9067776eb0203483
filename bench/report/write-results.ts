import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Figures } from '../figures.ts';
import { BENCH } from '../harness/paths.ts';
import { pageOf } from './page.ts';
import { plotsOf } from './plots/index.ts';

/** Writes the page and its plots; they are published as they are. */
export async function writeResults(figures: Figures): Promise<void> {
  const plots = plotsOf(figures);
  const folder = path.join(BENCH, 'plots');
  await mkdir(folder, { recursive: true });
  await Promise.all(plots.map(({ file, svg }) => writeFile(path.join(folder, file), `${svg}\n`)));
  await writeFile(path.join(BENCH, 'RESULTS.md'), pageOf(figures, plots));
}
