import type { IncomingHttpHeaders } from 'node:http';
import { builtIn } from '../base/built-in.ts';
import { RequestError } from './request-error.ts';
import type { Service } from './service.ts';
import type { Credentials } from './signed-headers.ts';

const { isUtf8 } = builtIn('node:buffer');

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

type Members = Readonly<Record<string, unknown>>;

/** Returns an answer's output. Throws the service's exceptions; quotes nothing from answers of others. */
export function outputOf(answer: Answer, secrets: Secrets, service: Service): Members {
  const { status, headers, body } = answer;
  const checksum = headers['x-amz-crc32'];
  // Nothing in such an answer can be trusted, not even its status.
  if (checksum !== undefined && builtIn('node:zlib').crc32(body) !== Number(checksum)) {
    throw unexpected(answer, 'does not match its checksum', true);
  }
  if (!isUtf8(body)) throw unexpected(answer, 'is not UTF-8');
  const members = objectIn(body);
  if (members === undefined)
    throw unexpected(answer, `is not ${service.title}'s: no JSON object. Check the endpoint, and proxies`);
  if (status === 200) return members;
  if (status < 400) throw unexpected(answer, `is not ${service.title}'s. Check the endpoint, and proxies`);
  throw exceptionIn(members, answer, secrets, service);
}

function objectIn(body: Buffer): Members | undefined {
  try {
    const value: unknown = JSON.parse(body.toString());
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Members) : undefined;
  } catch {
    return undefined; // the parser's error would quote the text
  }
}

function exceptionIn(
  members: Members,
  { status, headers }: Answer,
  secrets: Secrets,
  { tellingMembers }: Service,
): RequestError {
  const type = textOf(members['__type']) ?? textOf(members['code']) ?? textOf(headers['x-amzn-errortype']);
  const message = textOf(members['message']) ?? textOf(members['Message']) ?? 'UnknownError';
  const requestId = textOf(headers['x-amzn-requestid']);
  const error = new RequestError(redact(message, secrets), {
    name: redact(nameIn(type), secrets),
    fault: status < 500 ? 'client' : 'server',
    httpStatusCode: status,
    requestId: requestId && redact(requestId, secrets),
    retryAfterMs: retryAfterMs(headers),
  });
  for (const name of tellingMembers) {
    if (members[name] !== undefined) Object.assign(error, { [name]: members[name] });
  }
  return error;
}

/** Parses `com.amazonaws.dynamodb.v20120810#ResourceNotFoundException`, optionally with `:` and a URL. */
function nameIn(type = ''): string {
  return /^(?:[^#]*#)?(\w+)/.exec(type)?.[1] ?? 'Unknown';
}

/** Creates the error of an untrusted answer. `mayBeDone`: the request may be done, so it is retried. */
function unexpected(
  { status, headers }: Answer,
  what: string,
  mayBeDone: boolean = status < 300,
): RequestError {
  return new RequestError(`The answer with status ${status} ${what}`, {
    name: 'UnexpectedAnswerError',
    fault: mayBeDone || status >= 500 ? 'server' : 'client',
    httpStatusCode: status,
    retryAfterMs: retryAfterMs(headers),
    again: mayBeDone ? 'later' : undefined,
  });
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Secrets to redact from error messages. */
interface Secrets {
  readonly credentials: Credentials;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** Shorter credentials are an emulator's, and may be any word. */
const SHORTEST_SECRET = 16;

/** Redacts secrets: AWS quotes the canonical request if a signature does not match. */
function redact(text: string, { credentials, headers }: Secrets): string {
  const signature = /Signature=(\w+)/.exec(String(headers['Authorization']))?.[1];
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  let shown = text;
  for (const given of [sessionToken, secretAccessKey, accessKeyId, signature]) {
    const secret = given?.trim(); // as a header arrives
    if (secret !== undefined && secret.length >= SHORTEST_SECRET) shown = shown.replaceAll(secret, '***');
  }
  return shown;
}

/** Parses `x-amz-retry-after` (in ms) or `retry-after` (seconds, or a date relative to the answer's). */
function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const milliseconds = headers['x-amz-retry-after'];
  if (typeof milliseconds === 'string' && /^\d+$/.test(milliseconds)) return Number(milliseconds);
  const { 'retry-after': after, date } = headers;
  if (after === undefined) return undefined;
  if (/^\d+(\.\d+)?$/.test(after)) return Number(after) * 1_000;
  const untilDate = Date.parse(after) - Date.parse(date ?? '');
  return Number.isNaN(untilDate) ? undefined : untilDate;
}
