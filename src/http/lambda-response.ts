import { isObject } from '../base/is-object.ts';
import type { Content, HttpResponse, ReadAnswer } from './exchange.ts';
import type { ResponseShape } from './lambda-event.ts';

/** The response of a function to API Gateway, a function URL or a load balancer. */
export interface LambdaHttpResponse {
  /** The status, from 200 to 599. */
  readonly statusCode: number;
  /** The headers with one value each. */
  readonly headers?: Record<string, string>;
  /** The headers with several values, for REST APIs (format 1.0) and load balancers that support them. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** The values of `Set-Cookie`, for HTTP APIs and function URLs (format 2.0). */
  readonly cookies?: string[];
  /** The body as text, or as base64 if `isBase64Encoded` is true. */
  readonly body: string;
  /** Whether `body` is base64. */
  readonly isBase64Encoded: boolean;
}

type GivenResponse = Readonly<Partial<Record<keyof LambdaHttpResponse, unknown>>>;

/** Reads a handler's response as its carrier would. Never throws: the handler has already run. */
export function readLambdaResponse(given: unknown, shape: ResponseShape): ReadAnswer {
  let answer: ReadAnswer = { status: undefined, headers: [], content: 'unreadable' };
  try {
    if (!isObject(given) || !('statusCode' in given)) {
      if (shape !== 'v2') return answer;
      // Payload 2.0: any value without a status is the JSON body of a 200.
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
  // API Gateway uses the list if a name is in both.
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

/** Returns the pairs of a header, without empty values. */
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
  if (!Array.isArray(values))
    throw new TypeError(`Expected the \`${member}\` of the response to be lists, got ${typeof values}`);
  return values;
}

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
      // This format holds one value for each name, as the handler's own response did.
      return { ...response, headers: lastValues(byName(headers)) };
  }
}

/** Groups values by lower-case name, so that two spellings are one header. */
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
