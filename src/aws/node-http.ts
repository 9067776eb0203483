import type { Agent, AgentOptions, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { builtIn } from '../base/built-in.ts';
import type { Answer } from './answers.ts';
import type { ConnectionLimits, Connections, ExchangeRequest } from './connections.ts';
import { answerTo, HttpExchange, limitConnecting, type Patience, tickerFor } from './http-exchange.ts';
import { closedError, networkError, tooLongError } from './network-errors.ts';

interface HttpModule {
  readonly Agent: new (options: AgentOptions) => Agent;
  request(options: RequestOptions): ClientRequest;
}

/** Creates kept-alive connections to one server with Node's own client. */
export function nodeHttp(url: URL, limits: ConnectionLimits): Connections {
  return { post: posting(httpOf(url), url, limits) };
}

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
  const dropStale = droppingStale(agent, limits.idleMs);
  const options = {
    agent,
    protocol: url.protocol,
    hostname: url.hostname.replace(/^\[(.+)\]$/, '$1'), // IPv6
    port: url.port,
    method: 'POST',
    path: '/',
    // Even if the environment disables it (NODE_TLS_REJECT_UNAUTHORIZED).
    rejectUnauthorized: true,
  };
  /** Passes headers as an object: APM agents, which wrap `http.request`, add theirs to it. */
  const send = ({ headers, hasSpan }: ExchangeRequest): ClientRequest =>
    hasSpan ? untracedRequest({ ...options, headers }) : http.request({ ...options, headers });
  return (request) =>
    answerTo(request, (resolve, reject) => {
      dropStale();
      const sent = send(request);
      return new NodeExchange(request, { limits, ticker: ticks }, resolve, reject, sent, agent);
    });
}

class NodeExchange extends HttpExchange {
  readonly #sent: ClientRequest;
  readonly #agent: Agent;

  constructor(
    request: ExchangeRequest,
    patience: Patience,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
    sent: ClientRequest,
    agent: Agent,
  ) {
    super(request, patience, resolve, reject);
    this.#sent = sent;
    this.#agent = agent;
    const onError = (error: Error): void => this.lose(networkError(error, sent, this.isAnswered));
    sent.on('error', onError);
    sent.on('close', () => onError(closedError()));
    sent.on('socket', () => (this.isSent = true));
    sent.on('response', (response) => {
      response.on('error', onError);
      this.#read(response, patience.limits);
    });
    sent.end(request.body);
  }

  #read(response: IncomingMessage, { answerBytes }: ConnectionLimits): void {
    this.isAnswered = true;
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      this.silentForMs = 0;
      if (bytes > answerBytes) this.fail(tooLongError(answerBytes));
    });
    response.on('end', () => {
      const { statusCode = 0, headers } = response;
      const [first] = chunks;
      const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
      this.answer({ status: statusCode, headers, body });
    });
  }

  protected override drop(): void {
    this.#sent.destroy();
  }

  protected override dropIdle(): void {
    for (const socket of freeSockets(this.#agent)) socket.destroy();
  }
}

function freeSockets(agent: Agent): Socket[] {
  return Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? []);
}

/** Returns a function that closes the connections that were idle for longer than the limit. */
function droppingStale(agent: Agent, idleMs: number | undefined): () => void {
  if (idleMs === undefined) return () => undefined;
  const idleSince = new WeakMap<Socket, number>();
  agent.on('free', (socket: Socket) => idleSince.set(socket, Date.now()));
  // Not by a timer: after a freeze a request may be sent before it fires.
  return () => {
    for (const socket of freeSockets(agent)) {
      if (Date.now() - (idleSince.get(socket) ?? 0) >= idleMs) socket.destroy();
    }
  };
}

/** Creates the request without `http.request`, which APM agents wrap, so that they do not see it. */
function untracedRequest(options: RequestOptions): ClientRequest {
  const { ClientRequest: Request } = builtIn('node:http');
  return new Request(options);
}
