import type { ClientRequest } from 'node:http';
import { RequestError } from './request-error.ts';

/** What went wrong on a connection, by Node's code for it. */
export function networkError(error: Error & { readonly code?: string }): RequestError {
  const { code = 'ERR_UNKNOWN', message } = error;
  const name = /^(ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code) ? 'TimeoutError' : 'NetworkError';
  return new RequestError(message.includes(code) ? message : `${message} (${code})`, { name, code });
}

export function timeoutError(
  sent: ClientRequest,
  limits: { readonly connectMs: number; readonly silentMs: number },
): RequestError {
  const message =
    sent.socket?.connecting === true
      ? `There was no connection within ${limits.connectMs} ms`
      : `There was no answer for ${limits.silentMs} ms`;
  return new RequestError(message, { name: 'TimeoutError', code: 'ETIMEDOUT' });
}

export function tooLongError(bytes: number): RequestError {
  return new RequestError(`The answer is longer than ${bytes} bytes`, {
    name: 'UnexpectedAnswerError',
    fault: 'client',
  });
}

export function abortedError(): RequestError {
  return new RequestError('The request was given up', { name: 'AbortError', code: 'ABORT_ERR' });
}
