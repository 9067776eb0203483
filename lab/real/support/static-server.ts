import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createGzip } from 'node:zlib';

/** The files of a folder, as a host of static pages serves them. */
export interface StaticServer {
  readonly url: string;
  stop(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

export async function serveFolder(folder: string): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const file = fileAt(folder, pathname);
    if (file === undefined) return void response.writeHead(404).end();
    const type = TYPES[path.extname(file)] ?? 'application/octet-stream';
    const isZipped =
      /text|json|svg/.test(type) && /\bgzip\b/.test(String(request.headers['accept-encoding']));
    response.writeHead(200, {
      'content-type': type,
      ...(isZipped && { 'content-encoding': 'gzip' }),
    });
    const content = createReadStream(file);
    (isZipped ? content.pipe(createGzip()) : content).pipe(response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Returns the file of a URL's path: for a folder, its `index.html`; undefined if there is none. */
export function fileAt(folder: string, pathname: string): string | undefined {
  const asked = path.join(folder, decodeURIComponent(pathname));
  const isFolder = statSync(asked, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = isFolder ? path.join(asked, 'index.html') : asked;
  return existsSync(file) ? file : undefined;
}
