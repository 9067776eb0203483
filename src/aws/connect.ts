import type { Channel } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { builtIn } from '../base/built-in.ts';
import type { ConnectionLimits, Connections, OpenedAhead } from './connections.ts';
import { debugOnce } from './debug-once.ts';
import { nodeHttp } from './node-http.ts';
import { Sockets } from './sockets.ts';

/**
 * Creates kept-alive connections to one server. Requests use our own sockets, which take less CPU time than
 * Node's client (docs/decisions/0054-own-sockets.md). They use Node's client if an APM agent follows it,
 * after the server has sent an answer that the sockets cannot read, and if `BATCHLATCH_HTTP` is `node`.
 */
export function connectionsTo(url: URL, limits: ConnectionLimits): OpenedAhead {
  const sockets = new Sockets(url, limits);
  const isRefused = process.env['BATCHLATCH_HTTP'] === 'node';
  let http: Connections | undefined;
  const useSockets = (hasSpan: boolean): boolean =>
    !isRefused && sockets.isUnderstood && (hasSpan || !isFollowed(url));
  return {
    post(request) {
      if (useSockets(request.hasSpan)) return sockets.post(request);
      if (http === undefined) debugOnce(`Requests to ${url.origin} go through Node's HTTP client`);
      http ??= nodeHttp(url, limits);
      return http.post(request);
    },
    openAhead() {
      if (useSockets(false)) sockets.openAhead();
    },
  };
}

/** The channels on which Node's client publishes its requests. */
const CHANNELS = [
  'http.client.request.created',
  'http.client.request.start',
  'http.client.response.finish',
  'http.client.request.error',
];

/** Kept, because a channel without references is created anew each time. */
let channels: readonly Channel[] | undefined;

type Request = (...options: never[]) => ClientRequest;

/** Functions that were found to be Node's own. */
const own = new WeakSet<Request>();

/** Methods that Node's `ClientRequest` inherits. Agents wrap them on its prototype. */
const INHERITED = ['_storeHeader', 'end', 'emit'];

/** Returns whether somebody sees requests of Node's client: by a wrapped function or method, or a channel. */
function isFollowed({ protocol }: URL): boolean {
  const http = builtIn('node:http');
  const request: Request = protocol === 'http:' ? http.request : builtIn('node:https').request;
  if (!own.has(request)) {
    // A wrapper or proxy has another source text. The first is that of `http`, the second of `https`.
    const text = Function.prototype.toString.call(request);
    if (!/(?:new |\bReflectConstruct\()ClientRequest\b/.test(text)) return true;
    own.add(request);
  }
  const { prototype } = http.ClientRequest;
  if (INHERITED.some((name) => Object.hasOwn(prototype, name))) return true;
  channels ??= CHANNELS.map((name) => builtIn('node:diagnostics_channel').channel(name));
  return channels.some(({ hasSubscribers }) => hasSubscribers);
}
