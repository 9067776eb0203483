import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.ts';

/** The Markdown files that are pages, by what the path begins with; nothing is copied, each is read where it lies. */
const FOLDERS = ['docs', 'examples', 'site/reference'];
const SINGLE_FILES = ['site/index.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** The path of every page in the repository, such as `docs/sources.md`. */
export const SITE_PAGES: readonly string[] = [...SINGLE_FILES, ...FOLDERS.flatMap(markdownIn)];

/** What VitePress is to leave alone: the README, which the home page replaces, and every other folder. */
export const NOT_PAGES: readonly string[] = [
  'README.md',
  ...readdirSync(ROOT)
    .filter((name) => !/\.md$|^(docs|examples|site)$/.test(name))
    .map((name) => `${name}/**`),
];

/** Where a page is on the site, without a suffix: `docs/decisions/README.md` is `decisions/index`. */
export function routeOf(page: string): string {
  return page
    .replace(/^(docs|site)\//, '')
    .replace(/\.md$/, '')
    .replace(/(^|\/)README$/, '$1index')
    .replace(/^[A-Z]+$/, (name) => name.toLowerCase());
}

/** The file, as VitePress links to it. */
export function addressOf(page: string): string {
  return `/${routeOf(page)}`.replace(/\/index$/, '/');
}

export function textOf(page: string): string {
  return readFileSync(path.join(ROOT, page), 'utf8');
}

/** The text of the first heading, without its marks. */
export function titleOf(page: string): string {
  const [, heading = page] = /^# (.+)$/m.exec(textOf(page)) ?? [];
  return heading.replaceAll('`', '').replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}

function markdownIn(folder: string): string[] {
  if (!existsSync(path.join(ROOT, folder))) return [];
  return readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
    .map((name) => path.join(folder, name))
    .toSorted();
}
