import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import path from 'node:path';

/** The paths of the pages. All are served from one file, which reads the path. */
export const PAGES: ReadonlySet<string> = new Set(['/', '/claims', '/claim', '/dead-letters', '/actions']);

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

export async function sendPage(response: ServerResponse, appFolder: string): Promise<void> {
  try {
    send(response, 200, 'text/html; charset=utf-8', await readFile(path.join(appFolder, 'index.html')));
  } catch {
    const text =
      `The console's pages are not built: ${path.join(appFolder, 'index.html')} is missing. ` +
      `Run \`npm run build\`.\n`;
    send(response, 503, 'text/plain; charset=utf-8', Buffer.from(text));
  }
}

/** Whether the path is a file of the app. */
export function isAsset(pathname: string): boolean {
  return /^\/assets\/[\w-][\w.-]*$/.test(pathname) || /^\/[\w-]+\.(svg|ico|png|txt)$/.test(pathname);
}

/** Sends a file. Returns false if it does not exist. */
export async function sendAsset(
  response: ServerResponse,
  appFolder: string,
  pathname: string,
): Promise<boolean> {
  const type = TYPES[path.extname(pathname)];
  if (type === undefined) return false;
  try {
    const content = await readFile(path.join(appFolder, ...pathname.split('/')));
    // Their names contain a hash of their content.
    if (pathname.startsWith('/assets/')) {
      response.setHeader('Cache-Control', 'private, max-age=31536000, immutable');
    }
    send(response, 200, type, content);
    return true;
  } catch {
    return false;
  }
}

export function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, status, 'text/plain; charset=utf-8', Buffer.from(`${text}\n`));
}

const ERROR_TITLES: Readonly<Record<string, string>> = {
  'no-session': 'This page is not signed in',
  'foreign-host': 'The console does not serve this address',
  'no-page': 'There is no such page',
};

/** Sends an error as a page, for a person who opened a link. */
export function sendErrorPage(
  response: ServerResponse,
  status: number,
  { code, message }: { readonly code: string; readonly message: string },
): void {
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
  send(response, status, 'text/html; charset=utf-8', Buffer.from(page));
}

function asHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function send(response: ServerResponse, status: number, type: string, content: Buffer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': content.length });
  response.end(content);
}
