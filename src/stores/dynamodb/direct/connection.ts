import { Buffer } from 'node:buffer';
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Answer } from './answers.ts';
import { abortedError, networkError, timeoutError, tooLongError } from './network-errors.ts';

export interface ConnectionLimits {
  /** Until a server has accepted a connection. */
  readonly connectMs: number;
  /** Without a byte of the answer. */
  readonly silentMs: number;
  /** Of an answer. */
  readonly answerBytes: number;
}

export interface Connection {
  /** One sending of a request, over a connection that is kept for the next. */
  post(headers: Headers, body: string, signal: AbortSignal | undefined): Promise<Answer>;
}

type Headers = Record<string, string | number>;

/** What this uses of `node:http` and `node:https`. */
interface HttpModule {
  readonly Agent: typeof Agent;
  request(options: RequestOptions): ClientRequest;
}

const SOCKETS = 50;

/** Connections to one server. The module for its protocol is loaded from now on. */
export function connectionTo(url: URL, limits: ConnectionLimits): Connection {
  let ready: { readonly http: HttpModule; readonly options: RequestOptions } | undefined;
  const loading = loadModule(url.protocol);
  loading.catch(() => undefined); // reported by the request that needs it
  const prepare = async (): Promise<void> => {
    const http = await loading;
    ready ??= { http, options: optionsFor(url, http, limits) };
  };
  return {
    async post(headers, body, signal) {
      if (ready === undefined) await prepare();
      const { http, options } = ready as NonNullable<typeof ready>;
      return exchange(http.request({ ...options, headers }), body, limits, signal);
    },
  };
}

async function loadModule(protocol: string): Promise<HttpModule> {
  return protocol === 'http:' ? import('node:http') : import('node:https');
}

function optionsFor(url: URL, { Agent }: HttpModule, { silentMs }: ConnectionLimits): RequestOptions {
  return {
    agent: new Agent({ keepAlive: true, noDelay: true, maxSockets: SOCKETS, ...verified }),
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.+)\]$/, '$1'),
    port: url.port,
    method: 'POST',
    path: '/',
    timeout: silentMs,
  };
}

/** Also where the environment turns verification off for other connections. */
const verified = { rejectUnauthorized: true };

function exchange(
  sent: ClientRequest,
  body: string,
  limits: ConnectionLimits,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      signal?.removeEventListener('abort', giveUp);
      reject(error);
      sent.destroy();
    };
    const giveUp = (): void => fail(abortedError());
    const succeed = (answer: Answer): void => {
      signal?.removeEventListener('abort', giveUp);
      resolve(answer);
    };
    sent.on('error', (error) => fail(networkError(error)));
    sent.on('timeout', () => fail(timeoutError(sent, limits)));
    sent.on('response', (response) => collect(response, limits, succeed, fail));
    if (signal?.aborted === true) return giveUp();
    signal?.addEventListener('abort', giveUp);
    sent.end(body);
  });
}

function collect(
  response: IncomingMessage,
  { answerBytes }: ConnectionLimits,
  succeed: (answer: Answer) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > answerBytes) fail(tooLongError(answerBytes));
  });
  response.on('error', (error) => fail(networkError(error)));
  response.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    succeed({ status: response.statusCode ?? 0, headers: response.headers, body });
  });
}
