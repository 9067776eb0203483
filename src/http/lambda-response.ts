import type { HttpResponse } from './http-message.ts';
import type { ResponseShape } from './lambda-event.ts';

/** What a function answers to API Gateway, a function URL or a load balancer. */
export interface LambdaHttpResponse {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly cookies?: string[];
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

interface GivenResponse {
  readonly statusCode?: unknown;
  readonly headers?: Readonly<Record<string, unknown>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, readonly unknown[]>> | null;
  readonly cookies?: readonly string[];
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}

/** Reads what a handler answered, as its carrier would; undefined for what the carrier would take for a malformed response. */
export function readLambdaResponse(given: unknown, shape: ResponseShape): HttpResponse | undefined {
  const isObject = typeof given === 'object' && given !== null;
  if (!isObject || !('statusCode' in given)) return shape === 'v2' ? inferred(given) : undefined;
  const {
    statusCode,
    headers,
    multiValueHeaders,
    cookies = [],
    body,
    isBase64Encoded,
  } = given as GivenResponse;
  const status = Number(statusCode);
  const isBody = body === undefined || body === null || typeof body === 'string';
  if (!Number.isInteger(status) || status < 200 || status > 599 || !isBody) return undefined;
  // API Gateway takes the list where a name is in both.
  const lists = Object.entries(multiValueHeaders ?? {});
  const listed = new Set(lists.map(([name]) => name.toLowerCase()));
  const singles = Object.entries(headers ?? {}).filter(([name]) => !listed.has(name.toLowerCase()));
  return {
    status,
    headers: [
      ...singles.map(([name, value]) => [name, String(value)] as const),
      ...lists.flatMap(([name, values]) => values.map((value) => [name, String(value)] as const)),
      ...cookies.map((cookie) => ['set-cookie', cookie] as const),
    ],
    body: body ?? '',
    isBase64Encoded: isBase64Encoded === true,
  };
}

/** Payload 2.0: what is no response with a status is the JSON body of a 200. */
function inferred(given: unknown): HttpResponse {
  return {
    status: 200,
    headers: [['content-type', 'application/json']],
    body: typeof given === 'string' ? given : (JSON.stringify(given) ?? ''),
    isBase64Encoded: false,
  };
}

/** Writes a response in the shape that its carrier reads. */
export function toLambdaResponse(
  { status, headers, body, isBase64Encoded }: HttpResponse,
  shape: ResponseShape,
): LambdaHttpResponse {
  const response = { statusCode: status, body, isBase64Encoded };
  switch (shape) {
    case 'v1': {
      const lists = byName(headers);
      const isSingle = ([, values]: [string, string[]]): boolean => values.length === 1;
      const multi = Object.entries(lists).filter((entry) => !isSingle(entry));
      return {
        ...response,
        headers: lastValues(Object.fromEntries(Object.entries(lists).filter(isSingle))),
        ...(multi.length > 0 && { multiValueHeaders: Object.fromEntries(multi) }),
      };
    }
    case 'v2': {
      const { 'set-cookie': cookies, ...lists } = byName(headers);
      return {
        ...response,
        headers: Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.join(', ')])),
        ...(cookies !== undefined && { cookies }),
      };
    }
    case 'multi':
      return { ...response, multiValueHeaders: byName(headers) };
    case 'single':
      // There is no way to send a name twice here; the handler's own answer had the same bound.
      return { ...response, headers: lastValues(byName(headers)) };
  }
}

/** Names in lower case, as HTTP/2 has them: the same header in two spellings is one. */
function byName(headers: HttpResponse['headers']): Record<string, string[]> {
  const lists = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    lists.set(lower, [...(lists.get(lower) ?? []), value]);
  }
  return Object.fromEntries(lists);
}

function lastValues(lists: Record<string, string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(lists).map(([name, values]) => [name, values.at(-1) ?? '']));
}
