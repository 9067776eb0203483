import type { Channel } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
import { builtIn } from '../base/built-in.ts';
import type { ConnectionLimits, Connections } from './connections.ts';
import { nodeHttp } from './node-http.ts';
import { Sockets } from './sockets.ts';

/**
 * Connections to one server, which are kept for later requests. Requests go over sockets of our own, which takes less CPU time than
 * Node's client (docs/decisions/0054-own-sockets.md). They go by that where an APM agent follows it, once the server has answered in a way of HTTP that
 * the sockets do not read, and where `BATCHLATCH_HTTP` is `node`.
 */
export function connectionsTo(url: URL, limits: ConnectionLimits): Connections {
  const sockets = new Sockets(url, limits);
  const isRefused = process.env['BATCHLATCH_HTTP'] === 'node';
  let http: Connections | undefined;
  return {
    post(request) {
      if (!isRefused && sockets.isUnderstood && (request.hasSpan || !isFollowed(url)))
        return sockets.post(request);
      http ??= nodeHttp(url, limits);
      return http.post(request);
    },
  };
}

/** What is published about requests of Node's client. */
const CHANNELS = [
  'http.client.request.created',
  'http.client.request.start',
  'http.client.response.finish',
  'http.client.request.error',
];

/** Held on to: a channel that nobody holds is made anew each time it is asked for. */
let channels: readonly Channel[] | undefined;

type Request = (...options: never[]) => ClientRequest;

/** Node's own functions, as far as they have been looked at. */
const own = new WeakSet<Request>();

/** Whether somebody would see requests of Node's client: by a function in the place of `http.request`, or by its channels. */
function isFollowed({ protocol }: URL): boolean {
  const request: Request = builtIn(protocol === 'http:' ? 'node:http' : 'node:https').request;
  if (!own.has(request)) {
    // What stands in its place, a proxy too, has another text.
    if (!Function.prototype.toString.call(request).includes('new ClientRequest(')) return true;
    own.add(request);
  }
  channels ??= CHANNELS.map((name) => builtIn('node:diagnostics_channel').channel(name));
  return channels.some(({ hasSubscribers }) => hasSubscribers);
}
