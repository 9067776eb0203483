import type { Socket } from 'node:net';
import type { Answer } from './answers.ts';
import type { ConnectionLimits, ExchangeRequest } from './connections.ts';
import { abortedError, OverdueError, silentError, unconnectedError } from './network-errors.ts';

/** The limits of connections to one server, and the timer that counts them. */
export interface Patience {
  readonly limits: ConnectionLimits;
  readonly ticker: Ticker;
}

export abstract class HttpExchange {
  /** Whether it has a connection. Until then only the limit of the whole request counts. */
  isSent = false;
  isAnswered = false;
  /** The time since the last byte of the answer. */
  silentForMs = 0;
  readonly #request: ExchangeRequest;
  readonly #patience: Patience;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: Error) => void;
  #openForMs = 0;
  #isOver = false;

  constructor(
    request: ExchangeRequest,
    patience: Patience,
    resolve: (answer: Answer) => void,
    reject: (error: Error) => void,
  ) {
    this.#request = request;
    this.#patience = patience;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Closes the request's connection, because a late answer may still arrive on it. */
  protected abstract drop(): void;

  /** Closes idle connections to the server: they are probably as dead as the one that failed. */
  protected abstract dropIdle(): void;

  /** Starts to count the limits. */
  watch(): void {
    this.#patience.ticker.add(this.#tick);
    this.#request.signal?.addEventListener('abort', this.#giveUp);
  }

  answer(answer: Answer): void {
    if (this.#end()) this.#resolve(answer);
  }

  fail(error: Error): void {
    if (!this.#end()) return;
    this.#reject(error);
    this.drop();
  }

  lose(error: Error): void {
    if (this.#isOver) return;
    this.fail(error);
    this.dropIdle();
  }

  /** Counts a tick; the first may come at once. */
  readonly #tick = (): void => {
    const { limits, ticker } = this.#patience;
    if (this.silentForMs >= limits.silentMs) this.lose(silentError(limits.silentMs));
    else if (this.#openForMs >= this.#request.limitMs) this.lose(new OverdueError());
    if (this.isSent) this.silentForMs += ticker.everyMs;
    this.#openForMs += ticker.everyMs;
  };

  readonly #giveUp = (): void => this.fail(abortedError());

  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#patience.ticker.delete(this.#tick);
    this.#request.signal?.removeEventListener('abort', this.#giveUp);
    return true;
  }
}

/** Resolves with the answer to a request that `begin` sends. Rejects with what `begin` throws. */
export function answerTo(
  { signal }: ExchangeRequest,
  begin: (resolve: (answer: Answer) => void, reject: (error: Error) => void) => HttpExchange,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) reject(abortedError());
    else begin(resolve, reject).watch();
  });
}

/** Calls each registered callback on every tick until it is removed. */
interface Ticker {
  readonly everyMs: number;
  add(tick: () => void): void;
  delete(tick: () => void): void;
}

/**
 * Creates one timer for all open requests; it does not keep the process alive. Counting ticks tolerates a
 * frozen or busy process: an answer that arrived meanwhile is read before the next tick.
 */
function ticker(everyMs: number): Ticker {
  // No `Set`: one that changes often leaves old tables behind, and they keep ended requests in memory.
  const open: (() => void)[] = [];
  let isRunning = false;
  const run = (): void => {
    isRunning = true;
    const timer = setTimeout(() => {
      isRunning = false;
      for (const tick of open.slice()) tick();
      if (open.length > 0 && !isRunning) run();
    }, everyMs);
    timer.unref();
  };
  return {
    everyMs,
    add(tick) {
      open.push(tick);
      if (!isRunning) run();
    },
    delete(tick) {
      const at = open.indexOf(tick);
      if (at < 0) return;
      const last = open.pop() as () => void;
      if (last !== tick) open[at] = last;
    },
  };
}

/** The number of ticks within the shorter of the connection timeouts. */
const TICKS = 6;

export function tickerFor({ silentMs, connectMs }: ConnectionLimits): Ticker {
  return ticker(Math.min(silentMs, connectMs) / TICKS);
}

/** Limits the time to connect: a lost SYN deserves less patience than an answer. A freeze does not count. */
export function limitConnecting(socket: Socket, connectMs: number, ticks: Ticker): void {
  let waitedMs = 0;
  const tick = (): void => {
    if (waitedMs >= connectMs) socket.destroy(unconnectedError(connectMs));
    waitedMs += ticks.everyMs;
  };
  const stop = (): void => ticks.delete(tick);
  ticks.add(tick);
  socket.once('connect', stop);
  socket.once('close', stop);
}
