import type { OnReadOpts, Socket } from 'node:net';
import { builtIn } from '../base/built-in.ts';
import type { Answer } from './answers.ts';
import type { ConnectionLimits, ExchangeRequest } from './connections.ts';
import { answerTo, HttpExchange, limitConnecting, type Patience, tickerFor } from './http-exchange.ts';
import { closedError, networkError, tooLongError, unreadableError } from './network-errors.ts';
import { AnswerReader } from './read-answer.ts';

/**
 * Where all connections receive, as much as Node reads at a time. Each copies its answer at once, so none
 * needs a buffer or a stream of its own.
 */
const RECEIVED = Buffer.allocUnsafeSlow(65_536);

/** For how long a connection without a request yet is used, in milliseconds: the server may close it. */
const AHEAD_MS = 5_000;

/** Sockets to one server, each with one request at a time (RFC 9112). The last used is reused first. */
export class Sockets implements Patience {
  /** False after an unreadable answer. That answer is an error, and its request may be sent again. */
  isUnderstood = true;
  readonly limits: ConnectionLimits;
  readonly ticker: Patience['ticker'];
  readonly #url: URL;
  readonly #free: Connection[] = [];
  readonly #waiting: SocketExchange[] = [];
  #open = 0;
  /** The TLS session, which saves half of the next handshake. */
  #session: Buffer | undefined;

  constructor(url: URL, limits: ConnectionLimits) {
    this.#url = url;
    this.limits = limits;
    this.ticker = tickerFor(limits);
  }

  post(request: ExchangeRequest): Promise<Answer> {
    return answerTo(request, (resolve, reject) => {
      const exchange = new SocketExchange(request, this, resolve, reject);
      this.take(exchange);
      return exchange;
    });
  }

  openAhead(): void {
    const connection = this.#opened();
    connection.waitForFirst();
    this.#free.push(connection);
  }

  /** Gives the exchange a connection, now or when one is free. */
  take(exchange: SocketExchange): void {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop()) {
      if (free.mayBeUsed) return free.send(exchange);
      free.destroy();
    }
    if (this.#open >= this.limits.sockets) this.#waiting.push(exchange);
    else this.#opened().send(exchange);
  }

  /** Removes an exchange that no longer waits for a connection. */
  leave(exchange: SocketExchange): void {
    const at = this.#waiting.indexOf(exchange);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  release(connection: Connection): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return connection.send(next);
    connection.rest();
    this.#free.push(connection);
  }

  forget(connection: Connection): void {
    this.#open -= 1;
    const at = this.#free.indexOf(connection);
    if (at >= 0) this.#free.splice(at, 1);
    const next = this.#waiting.shift();
    if (next !== undefined) this.#opened().send(next);
  }

  /** A server that cannot resume a session may refuse the connection, and each later one that offers it. */
  forgetSession(): void {
    this.#session = undefined;
  }

  dropIdle(): void {
    for (const connection of this.#free.splice(0)) connection.destroy();
  }

  #opened(): Connection {
    this.#open += 1;
    return new Connection(this, (onread) => this.#socket(onread));
  }

  #socket(onread: OnReadOpts): Socket {
    const { protocol, hostname, port } = this.#url;
    const host = hostname.replace(/^\[(.+)\]$/, '$1'); // IPv6
    const keeping = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 1_000, onread };
    if (protocol === 'http:')
      return builtIn('node:net').connect({ host, port: Number(port || 80), ...keeping });
    const socket = builtIn('node:tls').connect({
      host,
      port: Number(port || 443),
      ...(builtIn('node:net').isIP(host) === 0 && { servername: host }),
      ...(this.#session !== undefined && { session: this.#session }),
      ALPNProtocols: ['http/1.1'],
      // Even if the environment disables it (NODE_TLS_REJECT_UNAUTHORIZED).
      rejectUnauthorized: true,
      ...keeping,
    });
    return socket.on('session', (session) => (this.#session = session));
  }
}

class SocketExchange extends HttpExchange {
  readonly text: string;
  /** `latin1` for pure ASCII, because it is faster. */
  readonly encoding: 'latin1' | 'utf8';
  connection: Connection | undefined = undefined;
  readonly #sockets: Sockets;

  constructor(
    request: ExchangeRequest,
    sockets: Sockets,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
  ) {
    super(request, sockets, resolve, reject);
    this.text = textOf(request);
    this.encoding = request.headers['Content-Length'] === request.body.length ? 'latin1' : 'utf8';
    this.#sockets = sockets;
  }

  protected override drop(): void {
    if (this.connection === undefined) this.#sockets.leave(this);
    else this.connection.destroy();
  }

  protected override dropIdle(): void {
    this.#sockets.dropIdle();
  }
}

/** A socket with at most one request. */
class Connection {
  readonly #sockets: Sockets;
  readonly #socket: Socket;
  readonly #reader: AnswerReader;
  #exchange: SocketExchange | undefined = undefined;
  #wasUsed = false;
  #isForgotten = false;
  /** When the server may close the idle connection, in epoch milliseconds. */
  #usableUntil = Infinity;

  constructor(sockets: Sockets, connect: (onread: OnReadOpts) => Socket) {
    this.#sockets = sockets;
    this.#reader = new AnswerReader(sockets.limits.answerBytes);
    const socket = connect({
      buffer: RECEIVED,
      callback: (bytes) => {
        this.#read(Buffer.from(RECEIVED.subarray(0, bytes)));
        return true;
      },
    });
    this.#socket = socket;
    socket.on('error', (error) => this.#lose(error));
    socket.on('end', () => this.#forget()); // an idle one is not used again
    socket.on('close', () => this.#lose(closedError()));
    limitConnecting(socket, sockets.limits.connectMs, sockets.ticker);
  }

  send(exchange: SocketExchange): void {
    this.#exchange = exchange;
    exchange.connection = this;
    exchange.isSent = true;
    this.#socket.ref();
    this.#socket.write(exchange.text, exchange.encoding);
  }

  get mayBeUsed(): boolean {
    return Date.now() < this.#usableUntil;
  }

  /** Keeps a connection that was opened ahead, for a moment, as if it had been used. */
  waitForFirst(): void {
    this.#wasUsed = true;
    this.#usableUntil = Date.now() + AHEAD_MS;
    this.rest();
  }

  /** Lets the process end while the connection is idle. */
  rest(): void {
    this.#socket.unref();
  }

  /** Closes the connection. Its request, if any, has already ended. */
  destroy(): void {
    this.#exchange = undefined;
    this.#socket.destroy();
    this.#forget();
  }

  #read(chunk: Buffer): void {
    const exchange = this.#exchange;
    if (exchange === undefined) return this.destroy(); // bytes that no request asked for
    exchange.isAnswered = true;
    exchange.silentForMs = 0;
    const read = this.#reader.read(chunk);
    switch (read) {
      case 'more':
        return;
      case 'too-long':
        return exchange.fail(tooLongError(this.#sockets.limits.answerBytes));
      case 'unreadable':
        this.#sockets.isUnderstood = false;
        return exchange.lose(unreadableError());
    }
    const { answer, idleMs, isLast } = read;
    this.#exchange = undefined;
    this.#wasUsed = true;
    this.#usableUntil = Date.now() + Math.min(idleMs, this.#sockets.limits.idleMs ?? Infinity);
    if (isLast) this.destroy();
    else this.#sockets.release(this);
    exchange.answer(answer);
  }

  #lose(error: Error): void {
    const exchange = this.#exchange;
    // Before another connection is made in its place.
    if (exchange !== undefined && !this.#wasUsed) this.#sockets.forgetSession();
    this.#forget();
    this.#exchange = undefined;
    if (exchange === undefined) return;
    const sent = { socket: this.#socket, reusedSocket: this.#wasUsed };
    exchange.lose(networkError(error, sent, exchange.isAnswered));
  }

  #forget(): void {
    if (this.#isForgotten) return;
    this.#isForgotten = true;
    this.#sockets.forget(this);
  }
}

/** Returns the text of a request. Throws for an invalid header, as Node's client does. */
function textOf({ headers, body }: ExchangeRequest): string {
  let head = 'POST / HTTP/1.1\r\n';
  for (const name in headers) {
    const value = headers[name];
    if (typeof value === 'string' && UNSENDABLE.test(value)) {
      throw Object.assign(new TypeError('Invalid header'), { code: 'ERR_INVALID_CHAR' });
    }
    head += `${name}: ${value}\r\n`;
  }
  return `${head}Connection: keep-alive\r\n\r\n${body}`;
}

const UNSENDABLE = /[^\t\x20-\x7e]/;
