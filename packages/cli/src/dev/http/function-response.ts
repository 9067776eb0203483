import { Buffer } from 'node:buffer';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { InvocationResult } from '../invoke-result.ts';

/** A response to an HTTP request. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
  /** Why it is not the function's answer. */
  readonly reason?: string | undefined;
}

/** Headers that belong to the connection. */
const OF_THE_CONNECTION = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
]);

/** Returns the response to the request that invoked a function. */
export function functionResponse(result: InvocationResult): HttpResponse {
  if (!result.ok) {
    if (result.isThrottled === true) return refusal(503, 'Service Unavailable', 'throttled');
    return result.isTimeout === true
      ? refusal(504, 'Gateway Timeout', 'the function timed out')
      : failure('the function failed');
  }
  const { payload = null } = result;
  if (typeof payload === 'object' && payload !== null && 'statusCode' in payload) return structured(payload);
  // Other values are the body.
  const body = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

/** Returns a response in the form of API Gateway's own. */
export function refusal(status: number, message: string, reason?: string): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ message })),
    reason,
  };
}

function failure(reason: string): HttpResponse {
  return refusal(502, 'Internal Server Error', reason);
}

function structured(answer: Readonly<Record<string, unknown>>): HttpResponse {
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded } = answer;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return failure('its `statusCode` is not a number from 200 to 599');
  }
  if (typeof headers !== 'object' || headers === null) return failure('its `headers` are not an object');
  if (!Array.isArray(cookies)) return failure('its `cookies` are not a list');
  if (body !== null && typeof body !== 'string') return failure('its `body` is not a text');
  const given = [
    ['content-type', 'text/plain; charset=utf-8'] as const,
    ...Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)] as const),
    ...cookies.map((cookie) => ['set-cookie', textOf(cookie)] as const),
  ];
  const wrong = given.find(([name, value]) => !isValidHeader(name, value));
  if (wrong !== undefined) return failure(`its header \`${wrong[0]}\` is not valid`);
  const own = Object.fromEntries(given.filter(([name]) => !OF_THE_CONNECTION.has(name)));
  return {
    status,
    headers: { ...own, ...(cookies.length > 0 && { 'set-cookie': cookies.map(String) }) },
    body: Buffer.from(body ?? '', isBase64Encoded === true ? 'base64' : 'utf8'),
  };
}

/** Returns an invalid value for an object that cannot be converted. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '\n';
  }
}

function isValidHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
