import type { ClientRequest } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { RequestError } from './request-error.ts';

type NodeError = Error & { readonly code?: string };

/** Codes that the SDK's HTTP handler gives this name; the others get another that failures are recognised by. */
const TIMEOUTS = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * What went wrong on the connection of a request. The request may be done, unless the server's certificate was refused: then
 * nothing of it was sent, and sending it again would be refused too.
 */
export function networkError(
  { code = 'ERR_NETWORK', message }: NodeError,
  sent: SentOver,
  isAnswered: boolean,
): RequestError {
  const text = message.includes(code) ? message : `${message} (${code})`;
  if (isCertificateRefused(sent)) return new RequestError(text, { name: 'CertificateError', code });
  const isTimeout = TIMEOUTS.has(code);
  return new RequestError(text, {
    name: isTimeout ? 'TimeoutError' : 'NetworkingError',
    code,
    // A server closes idle connections when it likes, also at the moment when one is used again.
    again: isTimeout && sent.reusedSocket && !isAnswered ? 'at-once' : 'later',
  });
}

/** What a request was sent over. */
type SentOver = Pick<ClientRequest, 'socket' | 'reusedSocket'>;

function isCertificateRefused({ socket }: SentOver): boolean {
  const { authorizationError } = (socket ?? {}) as Partial<TLSSocket>;
  return authorizationError !== undefined && authorizationError !== null;
}

/** The error of a request that Node would not write; of all that is in its headers, only the credentials come from elsewhere. */
export function unsendableError(thrown: unknown): unknown {
  const { code } = thrown as Partial<NodeError>;
  if (code !== 'ERR_INVALID_CHAR') return thrown;
  const message = 'The credentials hold a character that no header may hold';
  return new RequestError(message, { name: 'CredentialsProviderError', code });
}

/** Node says nothing more where a connection ends in the middle of an answer. */
export function closedError(): NodeError {
  return Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' });
}

export function silentError(silentMs: number): RequestError {
  return timeoutError(`There was no answer for ${silentMs} ms`);
}

/** The time of the request is over, its earlier sendings included. */
export class OverdueError extends RequestError {
  constructor() {
    super('The time of the request was over', { name: 'TimeoutError', code: 'ETIMEDOUT' });
  }
}

export function unconnectedError(connectMs: number): RequestError {
  return timeoutError(`There was no connection within ${connectMs} ms`);
}

function timeoutError(message: string): RequestError {
  return new RequestError(message, { name: 'TimeoutError', code: 'ETIMEDOUT', again: 'later' });
}

/** The request may be done; another answer to it would be as long. */
export function tooLongError(bytes: number): RequestError {
  const message = `The answer is longer than ${bytes} bytes`;
  return new RequestError(message, { name: 'UnexpectedAnswerError', fault: 'server' });
}

/** The request may be done, and is sent again by Node's own client. */
export function unreadableError(): RequestError {
  const message = 'The answer is not one of HTTP/1.1 with the length of its body';
  return new RequestError(message, { name: 'UnexpectedAnswerError', fault: 'server', again: 'at-once' });
}

export function abortedError(): RequestError {
  return new RequestError('The request was given up', { name: 'AbortError' });
}

/** The error of a request that got no answer, with how often it was sent: one of these sendings may be done. */
export function unansweredError(error: Error, attempts: number): Error {
  return Object.assign(error, { $metadata: { attempts } });
}
