import { Buffer } from 'node:buffer';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Answer } from './answers.ts';
import type { ExchangeRequest } from './connections.ts';
import {
  abortedError,
  closedError,
  networkError,
  OverdueError,
  silentError,
  tooLongError,
} from './network-errors.ts';
import type { Ticker } from './ticker.ts';

export interface Sender {
  /** Begins a request. Its headers are an object: APM agents, which wrap `http.request`, add theirs to it. */
  send(headers: ExchangeRequest['headers'], hasSpan: boolean): ClientRequest;
  dropIdle(): void;
}

export interface Patience {
  readonly silentMs: number;
  readonly answerBytes: number;
  readonly ticker: Ticker;
}

/** One request, and its answer when all of it is there. */
export function exchange(
  { headers, body, limitMs, signal, hasSpan }: ExchangeRequest,
  { send, dropIdle }: Sender,
  { silentMs, answerBytes, ticker }: Patience,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(abortedError());
    const sent = send(headers, hasSpan);
    let isOver = false;
    let isAnswered = false;
    let silentForMs = 0;
    let openForMs = 0;
    const end = (): boolean => {
      if (isOver) return false;
      isOver = true;
      ticker.delete(tick);
      signal?.removeEventListener('abort', giveUp);
      return true;
    };
    /** The connection goes too: nobody knows what still comes over it. */
    const fail = (error: Error): void => {
      if (!end()) return;
      reject(error);
      sent.destroy();
    };
    const lose = (error: Error): void => {
      fail(error);
      dropIdle();
    };
    const giveUp = (): void => fail(abortedError());
    const onError = (error: Error): void => {
      if (!isOver) lose(networkError(error, sent, isAnswered));
    };
    /** The first tick may come at once. */
    const tick = (): void => {
      if (silentForMs >= silentMs) lose(silentError(silentMs));
      else if (openForMs >= limitMs) lose(new OverdueError());
      silentForMs += ticker.everyMs;
      openForMs += ticker.everyMs;
    };
    sent.on('error', onError);
    sent.on('close', () => {
      if (!isOver) onError(closedError());
    });
    sent.on('response', (response) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        silentForMs = 0;
        if (bytes > answerBytes) fail(tooLongError(answerBytes));
      });
      response.on('error', onError);
      response.on('end', () => {
        if (end()) resolve(answerOf(response, chunks));
      });
    });
    ticker.add(tick);
    signal?.addEventListener('abort', giveUp);
    sent.end(body);
  });
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, chunks: readonly Buffer[]): Answer {
  const [first] = chunks;
  const body = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  return { status: statusCode, headers, body };
}
