import type { ClientRequest } from 'node:http';
import { builtIn } from '../base/built-in.ts';
import type { ConnectionLimits, Connections } from './connections.ts';
import { nodeHttp } from './node-http.ts';
import { Sockets } from './sockets.ts';

/**
 * Connections to one server, which are kept for later requests. Requests go over sockets of our own, which takes half of the CPU time that
 * Node's client takes. They go by Node's client where an APM agent follows that, once the server has answered in a way of HTTP that
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
  const { channel } = builtIn('node:diagnostics_channel');
  return CHANNELS.some((name) => channel(name).hasSubscribers);
}
