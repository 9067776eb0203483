import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OwnNames } from '../guard/own-names.ts';
import { ApiError, answerFor } from './api-error.ts';
import type { ConsoleParts } from './console-parts.ts';
import { readJson, sendJson } from './json.ts';
import { ROUTES } from './routes.ts';
import {
  assertChangesAllowed,
  assertOwnHost,
  assertOwnPage,
  assertOwnPost,
  setSecurityHeaders,
} from './security.ts';
import type { SessionCookie } from './session-cookie.ts';
import { isAsset, PAGES, sendAsset, sendPage, sendText } from './static-files.ts';

/** Who may ask, and who answers. */
export interface RequestPorts {
  readonly parts: ConsoleParts;
  readonly names: OwnNames;
  readonly cookie: SessionCookie;
}

/** Answers one request, whatever comes. */
export async function answerRequest(
  request: IncomingMessage,
  response: ServerResponse,
  ports: RequestPorts,
): Promise<void> {
  const [pathname = '', search = ''] = (request.url ?? '').split(/\?(.*)/s, 2);
  const isApi = pathname.startsWith('/api/');
  try {
    setSecurityHeaders(response);
    await answer(request, response, ports, { pathname, query: new URLSearchParams(search) });
  } catch (thrown) {
    const { status, body } = answerFor(thrown);
    if (response.headersSent) response.destroy();
    else {
      // What is still being sent is not read to its end.
      if (!request.complete) response.setHeader('Connection', 'close');
      if (isApi) sendJson(response, status, body);
      else sendText(response, status, body.error.message);
    }
  }
}

interface Address {
  readonly pathname: string;
  readonly query: URLSearchParams;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { parts, names, cookie }: RequestPorts,
  { pathname, query }: Address,
): Promise<void> {
  assertOwnHost(request, names);
  const token = query.get('token');
  if (request.method === 'GET' && pathname === '/' && token !== null && cookie.isToken(token)) {
    letIn(request, response, cookie);
    return;
  }
  if (!cookie.isIn(request)) {
    throw new ApiError(
      401,
      'no-session',
      'Open the address that the terminal printed when the console was started: it has a token that lets you in.',
    );
  }
  if (pathname.startsWith('/api/')) {
    await answerApi(request, response, { parts, names }, { pathname, query });
    return;
  }
  if (request.method !== 'GET') throw new ApiError(405, 'no-method', 'Only GET is answered here.');
  const { appFolder } = parts.options;
  if (PAGES.has(pathname)) await sendPage(response, appFolder);
  else if (!isAsset(pathname) || !(await sendAsset(response, appFolder, pathname))) {
    throw new ApiError(404, 'no-page', 'There is no such page.');
  }
}

/**
 * Hands the cookie over and goes on without the token in the address. A browser that came by a link of another page would not
 * send the cookie after a redirection; from a page of this origin it does.
 */
function letIn({ headers }: IncomingMessage, response: ServerResponse, cookie: SessionCookie): void {
  response.setHeader('Set-Cookie', cookie.header());
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'none' || site === 'same-origin') {
    response.writeHead(303, { Location: '/' }).end();
    return;
  }
  response
    .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
    .end('<!doctype html><title>Console</title><meta http-equiv="refresh" content="0; url=/">');
}

async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  { parts, names }: Omit<RequestPorts, 'cookie'>,
  { pathname, query }: Address,
): Promise<void> {
  assertOwnPage(request, names);
  const isPost = request.method === 'POST';
  if (isPost) assertOwnPost(request);
  const route = ROUTES.get(`${request.method} ${pathname}`);
  if (route === undefined) throw new ApiError(404, 'no-api', 'There is no such API.');
  if (route.isChange === true) assertChangesAllowed(parts.options.allowChanges ?? false);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const body = isPost ? await readJson(request) : {};
  const value = await route.handle({ request, response, query, body, signal: gone.signal }, parts);
  if (value !== undefined) sendJson(response, 200, value);
}
