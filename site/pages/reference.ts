import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './root.ts';
import { SITE_PAGES } from './site-pages.ts';

const FOLDER = path.join(ROOT, 'site/reference');

/** What `npm run reference` has made: Markdown, which becomes pages, or HTML, which is taken along as it is. */
export function kindOfReference(): 'markdown' | 'html' | undefined {
  if (SITE_PAGES.some((page) => page.startsWith('site/reference/'))) return 'markdown';
  return existsSync(path.join(FOLDER, 'index.html')) ? 'html' : undefined;
}

export async function copyReference(outDir: string): Promise<void> {
  if (kindOfReference() === 'html') await cp(FOLDER, path.join(outDir, 'reference'), { recursive: true });
}
