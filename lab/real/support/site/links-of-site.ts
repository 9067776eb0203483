import { readFileSync } from 'node:fs';
import { Parser } from 'htmlparser2';
import { fileAt } from '../static-server.ts';

/** What a reader reaches from the first page of a folder of pages, and what leads nowhere. */
export interface SiteLinks {
  /** The paths of the pages and files that links lead to, such as `/cli.html`. */
  readonly reached: ReadonlySet<string>;
  /** Links to no file, or to no element of a page: `/cli.html: /no-such.html`. */
  readonly dead: readonly string[];
}

interface PageLinks {
  readonly ids: ReadonlySet<string>;
  readonly targets: readonly string[];
}

/** Any origin: the pages are read from the disk, as `serveFolder` would serve them. */
const ORIGIN = 'http://site.invalid';
const LINKS = ['href', 'src', 'srcset', 'poster'];

/** Follows all links of pages, images, scripts and styles inside `folder`, from its first page. */
export function linksOfSite(folder: string): SiteLinks {
  const pages = new Map<string, PageLinks>();
  const pageAt = (file: string): PageLinks => {
    const known = pages.get(file);
    if (known !== undefined) return known;
    const read = linksOfPage(readFileSync(file, 'utf8'));
    pages.set(file, read);
    return read;
  };
  const files = new Map<string, string | undefined>();
  const fileOf = (pathname: string): string | undefined => {
    if (!files.has(pathname)) files.set(pathname, fileAt(folder, pathname));
    return files.get(pathname);
  };
  const reached = new Set(['/']);
  const dead = new Set<string>();
  for (const from of reached) {
    const file = fileOf(from);
    if (file === undefined || !file.endsWith('.html')) continue;
    for (const target of pageAt(file).targets) {
      const { origin, pathname, hash } = new URL(target, ORIGIN + from);
      if (origin !== ORIGIN) continue;
      const to = fileOf(pathname);
      const id = decodeURIComponent(hash.slice(1));
      const isThere = to !== undefined && (id === '' || !to.endsWith('.html') || pageAt(to).ids.has(id));
      if (!isThere) dead.add(`${from}: ${target}`);
      reached.add(pathname); // a set is walked in the order of its additions, the new ones as well
    }
  }
  return { reached, dead: [...dead] };
}

function linksOfPage(html: string): PageLinks {
  const ids = new Set<string>();
  const targets = new Set<string>();
  const parser = new Parser({
    onopentag(element, attributes) {
      const { id, name: oldId } = attributes;
      if (id !== undefined) ids.add(id);
      if (element === 'a' && oldId !== undefined) ids.add(oldId);
      for (const name of LINKS) {
        const value = attributes[name];
        if (value === undefined) continue;
        for (const target of name === 'srcset' ? sourcesOf(value) : [value]) targets.add(target);
      }
    },
  });
  parser.end(html);
  return { ids, targets: [...targets] };
}

/** `/small.svg 1x, /large.svg 2x`; a `data:` URL has commas, and no space after them. */
function sourcesOf(srcset: string): string[] {
  return srcset.split(/,\s+/).map((source) => source.trim().split(/\s+/)[0] ?? '');
}
