import path from 'node:path';
import type { RepositoryPages } from './repository-pages.ts';

/** A target in Markdown or HTML, with what is before it: `](docs/a.md`, `src="docs/b.png`. */
const TARGETS = /(\]\(<?|^\[[^\]]+\]:\s*|\b(?:href|src|srcset)=")([^)\s>"]+)/gm;
const IMAGE = /\.(?:png|svg|jpe?g|gif|webp)$/i;

/** The targets of the page's links and images that mean other files of the repository, each once. */
export function relativeTargets(page: string): string[] {
  const targets = [...page.matchAll(TARGETS)].map(([, , target = '']) => target);
  return [...new Set(targets)].filter(isRelative);
}

/** The page with addresses for these targets: those of the repository's pages, and of the file itself for an image. */
export function withAbsoluteLinks(page: string, { page: pages, raw }: RepositoryPages): string {
  return page.replaceAll(TARGETS, (whole, before: string, target: string) => {
    if (!isRelative(target)) return whole;
    return `${before}${IMAGE.test(target) ? raw : pages}/${path.posix.normalize(target)}`;
  });
}

function isRelative(target: string): boolean {
  return !target.startsWith('#') && !/^[a-z][a-z+.-]*:/i.test(target);
}
