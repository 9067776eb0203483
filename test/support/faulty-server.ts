import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';

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
  let faults: readonly Fault[] = [];
  let arrivals: Arrival[] = [];
  let opened = 0;
  const connections = new Map<Socket, number>();

  beforeAll(async () => {
    server = tls === undefined ? createServer() : createTlsServer(tls);
    server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      connections.set(socket, (opened += 1));
      socket.on('error', () => undefined);
      socket.on('close', () => connections.delete(socket));
    });
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        const { headers, socket } = request;
        arrivals.push({ headers, body, connection: connections.get(socket) ?? 0 });
        const fault = faults[Math.min(arrivals.length, faults.length) - 1];
        fault?.(response, socket, JSON.stringify({ headers, body }));
      });
    });
    server.keepAliveTimeout = 60_000; // no test takes so long
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    arrivals = [];
    faults = [succeeds()];
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    get endpoint() {
      const { port } = server.address() as AddressInfo;
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
