import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from '@jest/globals';
import { codeBlocks } from './markdown.ts';
import { PAGES } from './pages.ts';

/** The files of a page, written to a folder of their own. */
interface PageFiles {
  /** Imports a file of the page by the name that the page gives it. */
  load<Module>(name: string): Promise<Module>;
}

/**
 * Writes the blocks of a page that have a file name (a line such as "`orders.ts`:" before them), so that a test
 * runs the code that readers copy.
 */
export function pageFiles(page: string): PageFiles {
  const folder = mkdtempSync(path.join(tmpdir(), 'batchlatch-page-'));
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'), 'junction');
  for (const { name, code } of codeBlocks(PAGES.get(page) ?? '')) {
    if (name !== undefined) writeFileSync(path.join(folder, name), `${code}\n`);
  }
  afterAll(() => rmSync(folder, { recursive: true }));
  return { load: (name) => import(path.join(folder, name)) };
}
