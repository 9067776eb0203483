import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OwnNames } from 'batchlatch/operations';
import { ApiError, answerFor } from './api-error.ts';
import type { ConsoleParts } from './console-parts.ts';
import { checkInput, INPUTS, type RequestName } from './inputs.ts';
import { readJson, sendJson } from './json.ts';
import { notSignedIn, ROUTES } from './routes.ts';
import {
  assertChangesAllowed,
  assertOwnHost,
  assertOwnPage,
  assertOwnPost,
  setSecurityHeaders,
} from './security.ts';
import type { SessionSecrets } from './session-secrets.ts';
import { isAsset, PAGES, sendAsset, sendErrorPage, sendPage, sendText } from './static-files.ts';

/** The parts that check and answer requests. */
export interface RequestPorts {
  readonly parts: ConsoleParts;
  readonly names: OwnNames;
  readonly secrets: SessionSecrets;
}

/** Answers a request, with an error response if it fails. */
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
      // The rest of the request is not read.
      if (!request.complete) response.setHeader('Connection', 'close');
      if (isNavigation(request)) sendErrorPage(response, status, body.error);
      else if (isApi) sendJson(response, status, body);
      else sendText(response, status, body.error.message);
    }
  }
}

/** Returns whether a browser shows the response as a page, as after a click on a link in a chat. */
function isNavigation({ headers }: IncomingMessage): boolean {
  const { accept = '', 'sec-fetch-dest': destination } = headers;
  return destination === undefined ? accept.includes('text/html') : destination === 'document';
}

interface Address {
  readonly pathname: string;
  readonly query: URLSearchParams;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { parts, names, secrets }: RequestPorts,
  { pathname, query }: Address,
): Promise<void> {
  assertOwnHost(request, names);
  if (pathname.startsWith('/api/')) {
    await answerApi(request, response, { parts, names, secrets }, { pathname, query });
    return;
  }
  if (request.method !== 'GET') throw new ApiError(405, 'no-method', 'Use GET for pages.');
  const { appFolder } = parts.options;
  if (PAGES.has(pathname)) await sendPage(response, appFolder);
  else if (!isAsset(pathname) || !(await sendAsset(response, appFolder, pathname))) {
    throw new ApiError(404, 'no-page', 'There is no such page.');
  }
}

async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  { parts, names, secrets }: RequestPorts,
  { pathname, query }: Address,
): Promise<void> {
  assertOwnPage(request, names);
  const isPost = request.method === 'POST';
  if (isPost) assertOwnPost(request);
  const name = `${request.method} ${pathname}`;
  const route = isRequest(name) ? ROUTES[name] : undefined;
  const isLetIn =
    secrets.isIn(request) ||
    route?.isFor === 'anybody' ||
    (route?.isFor === 'downloads' && secrets.isDownload(query.get('ticket') ?? ''));
  if (!isLetIn) throw notSignedIn();
  if (!isRequest(name) || route === undefined) throw new ApiError(404, 'no-api', 'There is no such API.');
  if (route.isChange === true) assertChangesAllowed(parts.options.allowChanges ?? false);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const input = isPost ? await readJson(request) : Object.fromEntries(query);
  checkInput(name, input, INPUTS[name]);
  const value = await route.handle({ response, input, secrets, signal: gone.signal }, parts);
  if (value !== undefined) sendJson(response, 200, value);
}

function isRequest(name: string): name is RequestName {
  return Object.hasOwn(INPUTS, name);
}
