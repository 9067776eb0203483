import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { guardServer } from 'batchlatch/operations';
import type { Clock } from '../../tool-base/clock.ts';
import { DisposeStack } from '../emulators/dispose-stack.ts';
import { listenLocally } from '../emulators/listen-locally.ts';
import type { Invoke } from '../invoke-result.ts';
import { portError } from '../places.ts';
import type { OnDevEvent } from '../report/dev-event.ts';
import type { DevStack, HttpTrigger } from '../stack.ts';
import { type FoundRoute, findRoute } from './find-route.ts';
import { functionResponse, type HttpResponse, refusal } from './function-response.ts';
import { requestEvent } from './request-event.ts';
import { tokenClaims } from './token-claims.ts';

export interface HttpOptions {
  readonly stack: DevStack;
  /** The port of the first API or function URL; the others have the next ones. Default: free ones. */
  readonly port?: number | undefined;
  /** Host names that requests may use besides those of loopback. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly clock: Clock;
  readonly invoke: Invoke;
  readonly onEvent: OnDevEvent;
}

/** The HTTP APIs and function URLs of a template, each at an address of its own. */
export interface RunningHttp {
  /** The addresses, such as `http://127.0.0.1:41233`, by logical id. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Breaks the connections. */
  stop(): Promise<void>;
}

interface Route extends HttpTrigger {
  readonly functionId: string;
}

/** Serves the template's HTTP APIs and function URLs on the loopback interface. */
export async function startHttp(options: HttpOptions): Promise<RunningHttp> {
  const cleanup = new DisposeStack();
  const addresses = new Map<string, string>();
  try {
    for (const [id, routes] of routesByEndpoint(options.stack)) {
      const port = options.port === undefined ? undefined : options.port + addresses.size;
      const { address, stop } = await startEndpoint(routes, port, options);
      cleanup.defer(stop);
      addresses.set(id, address);
    }
  } catch (error) {
    await cleanup.run();
    throw error;
  }
  return { addresses, stop: () => cleanup.run() };
}

function routesByEndpoint({ functions }: DevStack): ReadonlyMap<string, readonly Route[]> {
  const routes = functions.flatMap(({ id, triggers }) =>
    triggers.flatMap((trigger) => (trigger.kind === 'http' ? [{ ...trigger, functionId: id }] : [])),
  );
  const byEndpoint = new Map<string, readonly Route[]>();
  for (const route of routes) {
    byEndpoint.set(route.endpointId, [...(byEndpoint.get(route.endpointId) ?? []), route]);
  }
  return byEndpoint;
}

async function startEndpoint(
  routes: readonly Route[],
  wanted: number | undefined,
  options: HttpOptions,
): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    void serve(request, response, routes, options).catch(() => response.destroy());
  });
  guardServer(server, '127.0.0.1', options.allowedHosts);
  const port = await listenLocally(server, wanted).catch((error: unknown) => {
    throw portError(error, `http://127.0.0.1:${wanted}`);
  });
  return {
    address: `http://127.0.0.1:${port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers a request, and reports it. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  routes: readonly Route[],
  options: HttpOptions,
): Promise<void> {
  const since = performance.now();
  const { method = 'GET', url = '/' } = request;
  const [path = ''] = url.split('?', 1);
  const found = findRoute(routes, method, path);
  const answer = await answerTo(
    { request, path, query: url.slice(path.length + 1), found, longest: longestBody(routes) },
    options,
  );
  const { status, headers, body, reason } = answer;
  response.statusCode = status;
  response.setHeaders(new Map(Object.entries(headers)));
  response.end(body);
  options.onEvent({
    type: 'answered',
    functionId: found?.route.functionId,
    endpointId: routes[0]?.endpointId ?? '',
    method,
    path,
    status,
    durationMs: performance.now() - since,
    reason,
  });
}

interface Asked {
  readonly request: IncomingMessage;
  readonly path: string;
  readonly query: string;
  readonly found: FoundRoute<Route> | undefined;
  /** The most bytes that its body may have. */
  readonly longest: number;
}

async function answerTo(
  { request, path, query, found, longest }: Asked,
  { clock, invoke }: HttpOptions,
): Promise<HttpResponse> {
  const body = await bodyOf(request, longest);
  if (body === undefined) return refusal(413, 'Request Entity Too Large', 'its body is too large');
  if (found === undefined) return refusal(404, 'Not Found', 'no route takes it');
  const { tokenSource, functionId } = found.route;
  const claims = tokenSource === undefined ? undefined : tokenClaims(tokenSource, request, query);
  if (tokenSource !== undefined && claims === undefined) {
    return refusal(401, 'Unauthorized', `it has no JSON Web Token in ${tokenSource}`);
  }
  const requestId = randomUUID();
  const sourceIp = request.socket.remoteAddress ?? '';
  const time = clock.now();
  const event = requestEvent({ ...found, request, path, query, body, claims, sourceIp, requestId, time });
  return functionResponse(await invoke(functionId, event, requestId));
}

function longestBody(routes: readonly Route[]): number {
  return routes[0]?.isFunctionUrl === true ? 6_291_456 : 10_485_760;
}

/** Reads the body; undefined if it is too long. */
async function bodyOf(request: IncomingMessage, longest: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= longest) chunks.push(chunk);
  }
  return length > longest ? undefined : Buffer.concat(chunks);
}
