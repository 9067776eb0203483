import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { textAnswer, type WholeAnswer } from './whole-answer.ts';

/** The paths of the pages. All are served from one file, which reads the path. */
const PAGES: ReadonlySet<string> = new Set(['/', '/claims', '/claim', '/dead-letters', '/actions']);

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
};

/** Returns the page or file at a path; undefined if there is none. */
export async function fileAnswer(appFolder: string, pathname: string): Promise<WholeAnswer | undefined> {
  if (PAGES.has(pathname)) return pageAnswer(appFolder);
  return isAsset(pathname) ? assetAnswer(appFolder, pathname) : undefined;
}

async function pageAnswer(appFolder: string): Promise<WholeAnswer> {
  try {
    const body = await readFile(path.join(appFolder, 'index.html'));
    return { status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body };
  } catch {
    return textAnswer(
      503,
      `The console's pages are not built: ${path.join(appFolder, 'index.html')} is missing. ` +
        'Run `npm run build`.',
    );
  }
}

/** Whether the path is a file of the app. */
function isAsset(pathname: string): boolean {
  return /^\/assets\/[\w-][\w.-]*$/.test(pathname) || /^\/[\w-]+\.(svg|ico|png|txt)$/.test(pathname);
}

async function assetAnswer(appFolder: string, pathname: string): Promise<WholeAnswer | undefined> {
  const type = TYPES[path.extname(pathname)];
  if (type === undefined) return undefined;
  try {
    const body = await readFile(path.join(appFolder, ...pathname.split('/')));
    // Their names contain a hash of their content.
    const isHashed = pathname.startsWith('/assets/');
    const cached = isHashed && { 'Cache-Control': 'private, max-age=31536000, immutable' };
    return { status: 200, headers: { 'Content-Type': type, ...cached }, body };
  } catch {
    return undefined;
  }
}
