import { Agent, createServer, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { guardServer } from 'batchlatch/operations';
import { listenLocally } from './listen-locally.ts';
import type { LocalService, StartOptions } from './local-service.ts';

/** An address that web pages cannot name or guess. */
export type HiddenPlace = { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** Hop-by-hop headers (RFC 9110, section 7.6.1). */
const OF_THE_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'upgrade',
  'expect',
]);
/** Longer than clients keep idle connections, so that the client closes them first. */
const KEEP_ALIVE_MS = 75_000;

/** Starts a proxy in front of an emulator that answers every request; refuses the requests of web pages. */
export async function startGuardingProxy(
  name: string,
  target: HiddenPlace,
  { port: wanted, allowedHosts }: StartOptions,
): Promise<LocalService> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, response) => {
    // Breaks the caller's connection too, so that it may retry.
    passOn(incoming, response, { ...target, agent }).catch(() => response.destroy());
  });
  guardServer(server, '127.0.0.1', allowedHosts);
  const port = await listenLocally(server, wanted);
  let stopped: Promise<void> | undefined;
  return {
    name,
    endpoint: `http://127.0.0.1:${port}`,
    stop: () =>
      (stopped ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      })),
  };
}

async function passOn(
  incoming: IncomingMessage,
  response: ServerResponse,
  target: HiddenPlace & { readonly agent: Agent },
): Promise<void> {
  const { method, url } = incoming;
  const outgoing = request({ ...target, method, path: url, headers: endToEnd(incoming.headers) });
  // The caller has gone.
  response.once('close', () => outgoing.destroy());
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });
  await Promise.all([
    pipeline(incoming, outgoing),
    answered.then((answer) => {
      response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      return pipeline(answer, response);
    }),
  ]);
}

function endToEnd(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.has(name)));
}
