import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { listenLocally } from '../../packages/cli/src/dev/emulators/listen-locally.ts';
import { until } from './until.ts';

/** A request as it arrived. */
interface Arrival {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Of the connection it came over: 1 for the first that was ever opened. */
  readonly connection: number;
}

/** What is done to a request. `echo` is all that it held, as a server may quote it. */
export type Fault = (response: ServerResponse, socket: Socket, echo: string) => void;

/** A server on 127.0.0.1 that answers the nth request as its nth fault says, and all further ones as the last says. */
export interface FaultyServer {
  readonly endpoint: string;
  readonly arrivals: readonly Arrival[];
  answers(...faults: readonly Fault[]): void;
  /** Closes every connection that is idle, as servers do when they like. */
  closeIdle(): Promise<void>;
}

/** For all tests of one `describe`. With `tls`, its key and certificate. */
export function faultyServer(tls?: { readonly key: string; readonly cert: string }): FaultyServer {
  let server: Server;
  let port: number;
  let faults: readonly Fault[] = [];
  let arrivals: Arrival[] = [];
  let opened = 0;
  const connections = new Map<Socket, number>();
  const acceptedPorts = new Set<number | undefined>();

  beforeAll(async () => {
    server = tls === undefined ? createServer() : createTlsServer(tls);
    server.on('connection', ({ remotePort }: Socket) => acceptedPorts.add(remotePort));
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      connections.set(socket, (opened += 1));
      socket.on('error', () => undefined);
      socket.on('close', () => connections.delete(socket));
    });
    server.on('request', (request, response) => {
      const answer = (body: string): void => {
        const { headers, socket } = request;
        arrivals.push({ headers, body, connection: connections.get(socket) ?? 0 });
        const fault = faults[Math.min(arrivals.length, faults.length) - 1];
        fault?.(response, socket, JSON.stringify({ headers, body }));
      };
      text(request).then(answer, () => undefined); // a request that breaks off is none
    });
    server.keepAliveTimeout = 60_000; // no test takes so long
    port = await listenLocally(server);
  });
  beforeEach(() => {
    arrivals = [];
    faults = [succeeds()];
  });
  afterEach(async () => {
    // What the test gave up may still be on its way. Connections are accepted in the order in which they came.
    acceptedPorts.clear();
    const last = connect(port, '127.0.0.1');
    await once(last, 'connect');
    await until('the last connection is accepted', () => acceptedPorts.has(last.localPort));
    server.closeAllConnections();
    last.destroy();
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    get endpoint() {
      return `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
    },
    get arrivals() {
      return arrivals;
    },
    answers(...all) {
      faults = all;
    },
    async closeIdle() {
      server.closeIdleConnections();
      await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

/** A JSON answer, as DynamoDB gives them. */
export function answers(status: number, body: object, headers: Record<string, string> = {}): Fault {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function succeeds(headers?: Record<string, string>): Fault {
  return answers(200, { Item: { id: { S: 'stored' } } }, headers);
}

/** DynamoDB refuses: `ThrottlingException`, and so on. */
export function refuses(name: string, status = 400, headers?: Record<string, string>, more?: object): Fault {
  const type = `com.amazonaws.dynamodb.v20120810#${name}`;
  return answers(status, { __type: type, message: `Because of ${name}`, ...more }, headers);
}

/** An answer of these bytes, which need not be JSON. */
export function says(
  status: number,
  body: string | Uint8Array,
  headers: Record<string, string | number> = {},
): Fault {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

/** These bytes instead of an HTTP answer, and then the end of the connection. */
export function writes(bytes: string): Fault {
  return (_response, socket) => socket.end(bytes);
}

/** The connection ends before a byte of an answer. */
export const hangsUp: Fault = (_response, socket) => socket.destroy();

/** The same, by a reset. */
export const resets: Fault = (_response, socket) => socket.resetAndDestroy();

export const staysSilent: Fault = () => undefined;
