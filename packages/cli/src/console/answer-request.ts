import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OwnNames } from 'batchlatch/operations';
import { ApiError, answerFor } from './api-error.ts';
import type { ConsoleParts } from './console-parts.ts';
import { Download } from './exports.ts';
import { readJson } from './json.ts';
import { callRoute, noApi, notSignedIn, requestNameOf, ROUTES } from './routes.ts';
import { assertOwnHost, assertOwnPage, assertOwnPost, SECURITY_HEADERS } from './security.ts';
import type { SessionSecrets } from './session-secrets.ts';
import { errorPage, fileAnswer } from './static-files.ts';
import { jsonAnswer, textAnswer, type WholeAnswer } from './whole-answer.ts';

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
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    await answer(request, response, ports, { pathname, query: new URLSearchParams(search) });
  } catch (thrown) {
    const { status, body } = answerFor(thrown);
    if (response.headersSent) response.destroy();
    else {
      // The rest of the request is not read.
      if (!request.complete) response.setHeader('Connection', 'close');
      if (isNavigation(request)) send(response, errorPage(status, body.error));
      else if (isApi) send(response, jsonAnswer(status, body));
      else send(response, textAnswer(status, body.error.message));
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
  assertOwnHost(request.headers, names);
  if (pathname.startsWith('/api/')) {
    await answerApi(request, response, { parts, names, secrets }, { pathname, query });
    return;
  }
  if (request.method !== 'GET')
    throw new ApiError(405, 'no-method', `${request.method} is not answered for pages. Use GET.`);
  const file = await fileAnswer(parts.options.appFolder, pathname);
  if (file === undefined)
    throw new ApiError(404, 'no-page', 'There is no such page. Begin at the first one, `/`.');
  send(response, file);
}

async function answerApi(
  request: IncomingMessage,
  response: ServerResponse,
  { parts, names, secrets }: RequestPorts,
  { pathname, query }: Address,
): Promise<void> {
  const { headers, method } = request;
  assertOwnPage(headers, names);
  const isPost = method === 'POST';
  if (isPost) assertOwnPost(headers);
  const name = requestNameOf(method, pathname);
  const isFor = name === undefined ? undefined : ROUTES[name].isFor;
  const isLetIn =
    secrets.isIn(request) ||
    isFor === 'anybody' ||
    (isFor === 'downloads' && secrets.isDownload(query.get('ticket') ?? ''));
  if (!isLetIn) throw notSignedIn();
  if (name === undefined) throw noApi();
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const { operator, allowChanges = false } = parts.options;
  const caller = { operator, allowChanges };
  const input = isPost ? await readJson(request) : Object.fromEntries(query);
  const value = await callRoute(name, { input, caller, signal: gone.signal }, parts, { response, secrets });
  if (value instanceof Download) await sendDownload(response, value, gone.signal);
  else if (value !== undefined) send(response, jsonAnswer(200, value));
}

function send(response: ServerResponse, { status, headers, body }: WholeAnswer): void {
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

/** Streams a download. If reading fails midway, the browser sees a broken download. */
async function sendDownload(
  response: ServerResponse,
  { headers, chunks }: Download,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, headers);
  try {
    for await (const text of chunks) {
      signal.throwIfAborted();
      if (text !== '' && !response.write(text)) await once(response, 'drain', { signal });
    }
    response.end();
  } catch {
    response.destroy();
  }
}
