import type { Agent, AgentOptions, ClientRequest, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { builtIn } from '../base/built-in.ts';
import type { ConnectionLimits, Connections } from './connections.ts';
import { exchange, type Sender } from './http-exchange.ts';
import { limitConnecting, tickerFor } from './ticker.ts';

/** What this uses of `node:http` and `node:https`. */
interface HttpModule {
  readonly Agent: new (options: AgentOptions) => Agent;
  request(options: RequestOptions): ClientRequest;
}

/** Connections of Node's own client to one server, which are kept for later requests. */
export function nodeHttp(url: URL, limits: ConnectionLimits): Connections {
  return { post: posting(httpOf(url), url, limits) };
}

/** Of Node, what speaks the protocol of the address. */
function httpOf({ protocol }: URL): HttpModule {
  return protocol === 'http:' ? builtIn('node:http') : builtIn('node:https');
}

function posting(http: HttpModule, url: URL, limits: ConnectionLimits): Connections['post'] {
  const agent = new http.Agent({ keepAlive: true, noDelay: true, maxSockets: limits.sockets });
  const ticks = tickerFor(limits);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const socket = connect(options, done);
    if (socket) limitConnecting(socket as Socket, limits.connectMs, ticks);
    return socket;
  };
  const options = {
    agent,
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.+)\]$/, '$1'), // IPv6
    port: url.port,
    method: 'POST',
    path: '/',
    // Also where the environment turns it off for others (NODE_TLS_REJECT_UNAUTHORIZED).
    rejectUnauthorized: true,
  };
  const patience = { ...limits, ticker: ticks };
  const send: Sender['send'] = (headers, hasSpan) =>
    hasSpan ? untracedRequest({ ...options, headers }) : http.request({ ...options, headers });
  /** Idle connections to the same server are most likely as dead as one that failed. */
  const dropIdle = (): void => {
    for (const sockets of Object.values(agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  };
  return (request) => exchange(request, { send, dropIdle }, patience);
}

/** Makes the object that `http.request` returns. APM agents wrap that function, and so see nothing of this request. */
function untracedRequest(options: RequestOptions): ClientRequest {
  const { ClientRequest: Request } = builtIn('node:http');
  return new Request(options);
}
