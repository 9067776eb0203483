import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { textAnswer, type WholeAnswer } from './whole-answer.ts';

/** The paths of the pages. All are served from one file, which reads the path. */
const PAGES: ReadonlySet<string> = new Set([
  '/',
  '/claims',
  '/claim',
  '/dead-letters',
  '/outbox',
  '/actions',
]);

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

const ERROR_TITLES: Readonly<Record<string, string>> = {
  'no-session': 'This page is not signed in',
  'foreign-host': 'The console does not serve this address',
  'no-page': 'There is no such page',
};

/** Returns an error as a page, for a person who opened a link. */
export function errorPage(
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): WholeAnswer {
  const title = ERROR_TITLES[code] ?? 'That did not work';
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · batchlatch console</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${asHtml(message)}</p>
<p><a href="/">Go to the console</a></p>
</main>
</body>
</html>
`;
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: Buffer.from(page) };
}

function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
