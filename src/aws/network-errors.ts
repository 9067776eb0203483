import type { ClientRequest } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { RequestError } from './request-error.ts';

/** If a host has several addresses, it has no message, but an error for each. */
type NodeError = Error & { readonly code?: string; readonly errors?: readonly Error[] };

/** Codes that the SDK's HTTP handler reports as `TimeoutError`. */
const TIMEOUTS = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Returns the error of a request's connection. The request may be done, unless the server's certificate was
 * refused: then nothing was sent, and a retry would be refused too.
 */
export function networkError(error: NodeError, sent: SentOver, isAnswered: boolean): RequestError {
  const { code = 'ERR_NETWORK' } = error;
  const { message } = error.errors?.[0] ?? error;
  const text = message.includes(code) ? message : `${message} (${code})`;
  if (isCertificateRefused(sent)) return new RequestError(text, { name: 'CertificateError', code });
  const isTimeout = TIMEOUTS.has(code);
  return new RequestError(text, {
    name: isTimeout ? 'TimeoutError' : 'NetworkingError',
    code,
    // A server may close an idle connection just when it is used again.
    again: isTimeout && sent.reusedSocket && !isAnswered ? 'at-once' : 'later',
  });
}

type SentOver = Pick<ClientRequest, 'socket' | 'reusedSocket'>;

function isCertificateRefused({ socket }: SentOver): boolean {
  const { authorizationError } = (socket ?? {}) as Partial<TLSSocket>;
  return authorizationError !== undefined && authorizationError !== null;
}

/** Returns the error of a request that Node refused to write: only credentials can be invalid. */
export function unsendableError(thrown: unknown): unknown {
  const { code } = thrown as Partial<NodeError>;
  if (code !== 'ERR_INVALID_CHAR') return thrown;
  const message = 'The credentials contain a character that no header may have, such as a line break';
  return new RequestError(message, { name: 'CredentialsProviderError', code });
}

/** The error if a connection ends within an answer, for which Node gives no reason. */
export function closedError(): NodeError {
  return Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });
}

export function silentError(silentMs: number): RequestError {
  return timeoutError(`There was no answer for ${silentMs} ms`);
}

/** The time for the request and its retries is over. */
export class OverdueError extends RequestError {
  constructor() {
    super('The time for the request was over', { name: 'TimeoutError', code: 'ETIMEDOUT' });
  }
}

export function unconnectedError(connectMs: number): RequestError {
  return timeoutError(`There was no connection within ${connectMs} ms`);
}

function timeoutError(message: string): RequestError {
  return new RequestError(message, { name: 'TimeoutError', code: 'ETIMEDOUT', again: 'later' });
}

/** The error of a too long answer. The request may be done; another answer would be as long. */
export function tooLongError(bytes: number): RequestError {
  const message = `The answer is longer than ${bytes} bytes`;
  return new RequestError(message, { name: 'UnexpectedAnswerError', fault: 'server' });
}

/** The error of an unreadable answer. The request may be done; Node's own client sends it again. */
export function unreadableError(): RequestError {
  const message = 'The answer cannot be read as HTTP/1.0 or HTTP/1.1';
  return new RequestError(message, { name: 'UnexpectedAnswerError', fault: 'server', again: 'at-once' });
}

export function abortedError(): RequestError {
  return new RequestError('The request was given up', { name: 'AbortError' });
}

/** Adds to an error how often the request was sent. Each of these may be done. */
export function unansweredError(error: Error, attempts: number): Error {
  return Object.assign(error, { $metadata: { attempts } });
}
