import type { Answer } from './answers.ts';
import type { ConnectionLimits, ExchangeRequest } from './connections.ts';
import { abortedError, OverdueError, silentError } from './network-errors.ts';
import type { Ticker } from './ticker.ts';

/** The limits of connections to one server, and the timer that counts them. */
export interface Patience {
  readonly limits: ConnectionLimits;
  readonly ticker: Ticker;
}

export abstract class Exchange {
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
    this.silentForMs += ticker.everyMs;
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
  begin: (resolve: (answer: Answer) => void, reject: (error: Error) => void) => Exchange,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) reject(abortedError());
    else begin(resolve, reject).watch();
  });
}
