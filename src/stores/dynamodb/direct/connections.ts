import { Buffer } from 'node:buffer';
import type { Agent, AgentOptions, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { StopSignal } from '../../../claims/stop.ts';
import type { Answer } from './answers.ts';
import { abortedError, networkError, silentError, tooLongError, unconnectedError } from './network-errors.ts';

export interface ConnectionLimits {
  /** At once; further requests wait for one of these. */
  readonly sockets: number;
  /** Until a server has accepted a connection. */
  readonly connectMs: number;
  /** Without a byte of the answer. */
  readonly silentMs: number;
  /** Of an answer. */
  readonly answerBytes: number;
}

export interface Connections {
  /** Sends a request once and gives its answer, if that comes to its end. */
  post(headers: Headers, body: string, signal: StopSignal | undefined): Promise<Answer>;
}

type Headers = Record<string, string | number>;

/** What this uses of `node:http` and `node:https`. */
interface HttpModule {
  readonly Agent: new (options: AgentOptions) => Agent;
  request(options: RequestOptions): ClientRequest;
}

interface Ready {
  readonly http: HttpModule;
  readonly agent: Agent;
  readonly options: RequestOptions;
}

/** Connections to one server, which are kept for later requests. The module for its protocol is loaded from now on. */
export function connectionsTo(url: URL, limits: ConnectionLimits): Connections {
  let ready: Ready | undefined;
  const loading = loadHttp(url.protocol).then((http) => (ready = prepared(http, url, limits)));
  loading.catch(() => undefined); // told by the request that needs it
  return {
    async post(headers, body, signal) {
      return exchange(ready ?? (await loading), { headers, body, signal }, limits);
    },
  };
}

async function loadHttp(protocol: string): Promise<HttpModule> {
  return protocol === 'http:' ? import('node:http') : import('node:https');
}

function prepared(http: HttpModule, url: URL, limits: ConnectionLimits): Ready {
  const agent = new http.Agent({ keepAlive: true, noDelay: true, maxSockets: limits.sockets });
  limitConnecting(agent, limits.connectMs);
  const options = {
    agent,
    hostname: url.hostname.replace(/^\[(.+)\]$/, '$1'), // IPv6
    port: url.port,
    method: 'POST',
    path: '/',
    timeout: limits.silentMs,
    // Also where the environment turns it off for others (NODE_TLS_REJECT_UNAUTHORIZED).
    rejectUnauthorized: true,
  };
  return { http, agent, options };
}

/** A socket's own timeout begins anew with whatever happens on it, and is not the same for connecting and for answers. */
function limitConnecting(agent: Agent, connectMs: number): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    const socket = connect(options, done);
    const timer = setTimeout(() => socket?.destroy(unconnectedError(connectMs)), connectMs);
    const stop = (): void => clearTimeout(timer);
    socket?.once('connect', stop);
    socket?.once('close', stop);
    return socket;
  };
}

interface Request {
  readonly headers: Headers;
  readonly body: string;
  readonly signal: StopSignal | undefined;
}

function exchange(
  { http, agent, options }: Ready,
  { headers, body, signal }: Request,
  { silentMs, answerBytes }: ConnectionLimits,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(abortedError());
    const sent = http.request({ ...options, headers: linesOf(headers) });
    let isOver = false;
    let isAnswered = false;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      signal?.removeEventListener('abort', giveUp);
      return true;
    };
    /** The connection goes too: nobody knows what still comes over it. */
    const fail = (error: Error): void => {
      if (!end()) return;
      reject(error);
      sent.destroy();
    };
    /** Idle connections to the same server are most likely as dead as this one. */
    const lose = (error: Error): void => {
      if (isOver) return;
      fail(error);
      for (const sockets of Object.values(agent.freeSockets)) {
        for (const socket of sockets ?? []) socket.destroy();
      }
    };
    const giveUp = (): void => fail(abortedError());
    const onError = (error: Error): void => lose(networkError(error, sent, isAnswered));

    sent.on('error', onError);
    sent.on('timeout', () => lose(silentError(silentMs)));
    sent.on('close', () => {
      if (!isOver) onError(new Error('The connection was closed'));
    });
    sent.on('response', (response) => {
      isAnswered = true;
      response.on('error', onError);
      collect(response, answerBytes, (answer) => {
        if (answer === undefined) fail(tooLongError(answerBytes));
        else if (end()) resolve(answer);
      });
    });
    signal?.addEventListener('abort', giveUp);
    sent.end(body);
  });
}

/** Names and values in turn: Node writes these as they are, and would otherwise keep each header by its name first. */
function linesOf(headers: Headers): string[] {
  const lines: string[] = [];
  for (const name of Object.keys(headers)) lines.push(name, String(headers[name]));
  return lines;
}

/** Nothing is handed on if the answer is too long. */
function collect(
  response: IncomingMessage,
  mostBytes: number,
  done: (answer: Answer | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > mostBytes) done(undefined);
  });
  response.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes);
    done({ status: response.statusCode ?? 0, headers: response.headers, body });
  });
}
