import type { StopSignal } from '../base/stop.ts';
import type { Answer } from './answers.ts';

export interface ConnectionLimits {
  /** At once; further requests wait for one of these. */
  readonly sockets: number;
  /** Until a server has accepted a connection. */
  readonly connectMs: number;
  /** Until the answer begins, and then without a further byte of it. */
  readonly silentMs: number;
  /** Of an answer. */
  readonly answerBytes: number;
}

export interface ExchangeRequest {
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
  /** For the whole answer. */
  readonly limitMs: number;
  readonly signal: StopSignal | undefined;
  /** Whether the request has a span already. */
  readonly hasSpan: boolean;
}

export interface Connections {
  /** Sends a request once and gives its answer, if that comes to its end. */
  post(request: ExchangeRequest): Promise<Answer>;
}
