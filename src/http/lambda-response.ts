import { isObject } from '../base/is-object.ts';
import type { Content, HttpResponse, ReadAnswer } from './exchange.ts';
import type { ResponseShape } from './lambda-event.ts';

/** What a function answers to API Gateway, a function URL or a load balancer. */
export interface LambdaHttpResponse {
  /** From 200 to 599. */
  readonly statusCode: number;
  /** Headers with one value each. */
  readonly headers?: Record<string, string>;
  /** Headers with several values, for REST APIs (format 1.0) and for load balancers with multi-value headers. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** Values of `Set-Cookie`, for HTTP APIs and function URLs (format 2.0). */
  readonly cookies?: string[];
  /** Text, or base64 where `isBase64Encoded` is true. */
  readonly body: string;
  /** Whether `body` is base64 of the bytes to send. */
  readonly isBase64Encoded: boolean;
}

type GivenResponse = Readonly<Partial<Record<keyof LambdaHttpResponse, unknown>>>;

/** Reads what a handler answered, as its carrier would. Never throws: the handler has run, whatever it returned. */
export function readLambdaResponse(given: unknown, shape: ResponseShape): ReadAnswer {
  let answer: ReadAnswer = { status: undefined, headers: [], content: 'unreadable' };
  try {
    if (!isObject(given) || !('statusCode' in given)) {
      if (shape !== 'v2') return answer;
      // Payload 2.0: what is no response with a status is the JSON body of a 200.
      answer = { ...answer, status: 200, headers: [['content-type', 'application/json']] };
      const body = typeof given === 'string' ? given : (JSON.stringify(given) ?? '');
      return { ...answer, content: { body, isBase64Encoded: false } };
    }
    answer = { ...answer, status: statusOf(given.statusCode) };
    answer = { ...answer, headers: headersOf(given) };
    return answer.status === undefined ? answer : { ...answer, content: contentOf(given) };
  } catch (error) {
    return { ...answer, thrown: { error } };
  }
}

function statusOf(given: unknown): number | undefined {
  const status = Number(given);
  return Number.isInteger(status) && status >= 200 && status <= 599 ? status : undefined;
}

function contentOf({ body, isBase64Encoded }: GivenResponse): Content | 'unreadable' {
  if (body !== undefined && body !== null && typeof body !== 'string') return 'unreadable';
  return { body: body ?? '', isBase64Encoded: isBase64Encoded === true };
}

function headersOf({ headers, multiValueHeaders, cookies }: GivenResponse): HttpResponse['headers'] {
  // API Gateway takes the list where a name is in both.
  const lists = entriesOf(multiValueHeaders);
  const listed = new Set(lists.map(([name]) => name.toLowerCase()));
  const singles = entriesOf(headers).filter(([name]) => !listed.has(name.toLowerCase()));
  return [
    ...singles.flatMap(([name, value]) => pairs(name, [value])),
    ...lists.flatMap(([name, values]) => pairs(name, listOf(`multiValueHeaders`, values))),
    ...pairs('set-cookie', listOf('cookies', cookies)),
  ];
}

function entriesOf(members: unknown): [string, unknown][] {
  return Object.entries(members ?? {});
}

/** A header without a value is none. */
function pairs(name: string, values: readonly unknown[]): HttpResponse['headers'] {
  return values.flatMap((value) => {
    if (value === undefined || value === null) return [];
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new TypeError(
        `Expected the header \`${name}\` of the response to be a string, got ${typeof value}`,
      );
    }
    return [[name, String(value)] as const];
  });
}

function listOf(member: string, values: unknown): readonly unknown[] {
  if (values === undefined || values === null) return [];
  if (!Array.isArray(values)) throw new TypeError(`Expected the \`${member}\` of the response to be lists`);
  return values;
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
