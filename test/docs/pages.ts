import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** What people read, by its path. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  [
    ...pagesOf('.', false),
    ...pagesOf('docs', true),
    ...pagesOf('examples', true),
    ...pagesOf('site', false),
  ].map((page) => [page, readFileSync(page, 'utf8')]),
);

function pagesOf(folder: string, recursive: boolean): string[] {
  return readdirSync(folder, { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => path.join(folder, name))
    .toSorted();
}
