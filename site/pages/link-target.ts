import path from 'node:path';
import { inRepository } from './repository.ts';
import { addressOf, SITE_PAGES } from './site-pages.ts';

/** Where a link of a page leads on the site. */
export type LinkTarget =
  | { readonly kind: 'elsewhere'; readonly href: string }
  | { readonly kind: 'page'; readonly page: string; readonly hash: string; readonly href: string }
  | { readonly kind: 'file'; readonly file: string; readonly href: string | undefined };

const PAGES = new Set(SITE_PAGES);

/**
 * Links between pages stay on the site. One to another file of the repository leads to the repository, as soon as
 * `package.json` names it; until then it leads nowhere, and the page shows which file is meant.
 */
export function linkTarget(target: string, page: string): LinkTarget {
  if (/^[a-z]+:/.test(target)) return { kind: 'elsewhere', href: target };
  const [name = '', anchor] = target.split('#');
  const hash = anchor === undefined ? '' : `#${anchor}`;
  const file = name === '' ? page : path.normalize(path.join(path.dirname(page), name));
  // The home page stands for it, and has the headings that pages lead to.
  if (file === 'README.md') return { kind: 'page', page: 'site/index.md', hash, href: `/${hash}` };
  const found = [file, path.join(file, 'README.md')].find((candidate) => PAGES.has(candidate));
  if (found !== undefined) return { kind: 'page', page: found, hash, href: `${addressOf(found)}${hash}` };
  const address = inRepository(file);
  return { kind: 'file', file, href: address === undefined ? undefined : `${address}${hash}` };
}
