import { type Buffer, isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { RequestError } from './request-error.ts';
import { retryAfterMs } from './retry-after.ts';

/** What came over the connection, complete. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Members of DynamoDB's exceptions that say more than their message. */
const TELLING = ['Item', 'CancellationReasons', 'ThrottlingReasons'] as const;

/** The output in an answer. Throws what DynamoDB refused, and any answer that is not DynamoDB's. `hide` takes secrets out of a text. */
export function outputOf(answer: Answer, hide: (text: string) => string): object {
  const problem = damageOf(answer);
  if (problem !== undefined) throw unexpected(answer, problem, true);
  const output = parsed(answer.body);
  if (answer.status === 200 && output !== undefined) return output;
  if (output === undefined || answer.status < 400) {
    throw unexpected(answer, 'is not one of DynamoDB', answer.status === 200);
  }
  throw exceptionIn(output, answer, hide);
}

function damageOf({ headers, body }: Answer): string | undefined {
  const checksum = headers['x-amz-crc32'];
  if (checksum !== undefined && crc32(body) !== Number(checksum)) return 'does not match its checksum';
  if (!isUtf8(body)) return 'is not UTF-8';
  return undefined;
}

function parsed(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined; // the parser's error quotes the text
  }
}

function exceptionIn(
  output: Record<string, unknown>,
  { status, headers }: Answer,
  hide: (text: string) => string,
): RequestError {
  const type = textOf(output['__type']) ?? textOf(output['code']) ?? textOf(headers['x-amzn-errortype']);
  const message = textOf(output['message']) ?? textOf(output['Message']) ?? 'UnknownError';
  const requestId = textOf(headers['x-amzn-requestid']);
  const error = new RequestError(hide(message), {
    name: hide(nameIn(type)),
    fault: status < 500 ? 'client' : 'server',
    httpStatusCode: status,
    requestId: requestId && hide(requestId),
    retryAfterMs: retryAfterMs(headers),
  });
  for (const name of TELLING) {
    if (output[name] !== undefined) Object.assign(error, { [name]: output[name] });
  }
  return error;
}

/** `com.amazonaws.dynamodb.v20120810#ResourceNotFoundException`, or followed by `:` and an address. */
function nameIn(type = 'UnknownError'): string {
  return /^(?:[^#]*#)?([^#:,]+)/.exec(type)?.[1] ?? 'UnknownError';
}

function unexpected({ status, headers }: Answer, problem: string, isPassing: boolean): RequestError {
  return new RequestError(`The answer (status ${status}) ${problem}`, {
    name: 'UnexpectedAnswerError',
    fault: isPassing || status >= 500 ? 'server' : 'client',
    httpStatusCode: status,
    retryAfterMs: retryAfterMs(headers),
    isPassing,
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
