import type { StopSignal } from '../base/stop.ts';
import type { Answer } from './answers.ts';

export interface ConnectionLimits {
  /** The number of connections; further requests wait for one. */
  readonly sockets: number;
  /** Milliseconds for a server to accept a connection. */
  readonly connectMs: number;
  /** Milliseconds without a byte of the answer. */
  readonly silentMs: number;
  /** The longest idle time of a connection that is used again, in milliseconds. Default: the server's. */
  readonly idleMs?: number;
  /** The longest answer, in bytes. */
  readonly answerBytes: number;
}

export interface ExchangeRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
  /** Milliseconds for the whole answer. */
  readonly limitMs: number;
  readonly signal: StopSignal | undefined;
  /** Whether the request already has a span. */
  readonly hasSpan: boolean;
}

export interface Connections {
  post(request: ExchangeRequest): Promise<Answer>;
}

export interface OpenedAhead extends Connections {
  /** Opens a connection for a request that comes soon. If it fails, that request opens one itself. */
  openAhead(): void;
}
