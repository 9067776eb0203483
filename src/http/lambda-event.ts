import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { UnsupportedEventError } from '../sources/errors.ts';
import { isObject } from '../base/is-object.ts';
import { aBoolean, anObject, aString, type Check } from '../options/check-options.ts';
import { type HttpRequest, queryOf } from './exchange.ts';

/** An event of an API Gateway REST or HTTP API, a Lambda function URL, or an Application Load Balancer. */
export type LambdaHttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2 | ALBEvent;

/** The format of a response. `single`: for a load balancer without multi-value headers. */
export type ResponseShape = 'v1' | 'v2' | 'multi' | 'single';

/** Reads an HTTP event. Throws an `UnsupportedEventError` that says why another event is refused. */
export function readLambdaEvent(event: unknown): {
  readonly request: HttpRequest;
  readonly shape: ResponseShape;
} {
  const members = (isObject(event) ? event : {}) as Members;
  if ('rawPath' in members || methodOfV2(members) !== undefined) {
    assertV2(members);
    return { request: requestOfV2(members), shape: 'v2' };
  }
  if ('httpMethod' in members) {
    assertV1(members);
    return { request: requestOfV1(members), shape: shapeOfV1(members) };
  }
  const shown = isObject(event)
    ? `an object with ${Object.keys(event).slice(0, 8).join(', ') || 'nothing in it'}`
    : typeof event;
  throw new UnsupportedEventError(
    `Expected an event of API Gateway, a Lambda function URL or an Application Load Balancer, got ${shown}`,
  );
}

type Members = Readonly<Record<string, unknown>>;

function methodOfV2({ requestContext }: Members): unknown {
  return (requestContext as { http?: { method?: unknown } | null } | null | undefined)?.http?.method;
}

function assertV2(event: Members): asserts event is Members & APIGatewayProxyEventV2 {
  assertMember('requestContext.http.method', methodOfV2(event), A_STRING);
  assertMember('rawPath', event['rawPath'], A_STRING);
  assertMember('rawQueryString', event['rawQueryString'] ?? '', A_STRING);
  assertMember('headers', event['headers'], FIELDS);
  assertBody(event);
}

function assertV1(event: Members): asserts event is Members & (APIGatewayProxyEvent | ALBEvent) {
  const { headers, multiValueHeaders, requestContext = {} } = event;
  assertMember('httpMethod', event['httpMethod'], A_STRING);
  assertMember('path', event['path'], A_STRING);
  // Either headers or multiValueHeaders is enough. Load balancers and gateways send null for no headers.
  assertMember('headers', headers ?? (multiValueHeaders === undefined ? headers : {}), FIELDS);
  assertMember('multiValueHeaders', multiValueHeaders ?? {}, LISTS);
  assertMember('queryStringParameters', event['queryStringParameters'] ?? {}, FIELDS);
  assertMember('multiValueQueryStringParameters', event['multiValueQueryStringParameters'] ?? {}, LISTS);
  assertMember('requestContext', requestContext, AN_OBJECT);
  assertBody(event);
}

function assertBody({ body, isBase64Encoded }: Members): void {
  assertMember('body', body ?? '', A_STRING);
  assertMember('isBase64Encoded', isBase64Encoded ?? false, A_BOOLEAN);
}

const A_STRING = aString();
const A_BOOLEAN = aBoolean();
const AN_OBJECT = anObject();
const FIELDS: Check = {
  expected: 'an object of strings',
  accepts: (value) => AN_OBJECT.accepts(value) && Object.values(value as object).every(isStringOrNone),
};
const LISTS: Check = {
  expected: 'an object of lists of strings',
  accepts: (value) =>
    AN_OBJECT.accepts(value) &&
    Object.values(value as object).every((list: unknown) =>
      Array.isArray(list) ? list.every(isStringOrNone) : (list ?? undefined) === undefined,
    ),
};

function isStringOrNone(value: unknown): boolean {
  return typeof value === 'string' || value === undefined || value === null;
}

/** The message names the member but not its value, which may be a credential. */
function assertMember(name: string, value: unknown, { expected, accepts }: Check): void {
  if (accepts(value)) return;
  throw new UnsupportedEventError(
    `The HTTP event is damaged: expected \`${name}\` to be ${expected}, got ${kindOf(value)}`,
  );
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? 'something else' : typeof value;
}

function shapeOfV1(event: APIGatewayProxyEvent | ALBEvent): ResponseShape {
  const isLoadBalancer = event.requestContext !== undefined && 'elb' in event.requestContext;
  if (!isLoadBalancer) return 'v1';
  return event.multiValueHeaders === undefined || event.multiValueHeaders === null ? 'single' : 'multi';
}

function requestOfV2(event: APIGatewayProxyEventV2): HttpRequest {
  return {
    method: event.requestContext.http.method.toUpperCase(),
    path: event.rawPath,
    query: queryOf(event.rawQueryString ?? ''),
    header: headerIn(event.headers),
    body: async (maxBytes) => bodyOf(event, maxBytes),
  };
}

function requestOfV1(event: APIGatewayProxyEvent | ALBEvent): HttpRequest {
  return {
    method: event.httpMethod.toUpperCase(),
    path: event.path,
    query: pairs(event.multiValueQueryStringParameters ?? event.queryStringParameters),
    header: headerIn(event.multiValueHeaders, event.headers),
    body: async (maxBytes) => bodyOf(event, maxBytes),
  };
}

type Fields = Readonly<Record<string, string | readonly (string | null)[] | null | undefined>>;

/** Returns a header from the first set of fields that has it: a REST API sends all headers twice. */
function headerIn(...all: (Fields | null | undefined)[]): HttpRequest['header'] {
  return (wanted) => {
    for (const headers of all) {
      const found = pairs(headers).filter(([name]) => name.toLowerCase() === wanted);
      if (found.length > 0) return found.map(([, value]) => value);
    }
    return [];
  };
}

function pairs(fields: Fields | null | undefined): [string, string][] {
  return Object.entries(fields ?? {}).flatMap(([name, value]) =>
    (typeof value === 'string' ? [value] : (value ?? [])).flatMap((one): [string, string][] =>
      typeof one === 'string' ? [[name, one]] : [],
    ),
  );
}

const LONE_SURROGATE = /\p{Surrogate}/u;

function bodyOf(
  { body, isBase64Encoded }: { readonly body?: string | null; readonly isBase64Encoded?: boolean },
  maxBytes: number,
): Uint8Array | 'too large' {
  const text = body ?? '';
  if (isBase64Encoded === true) {
    return Buffer.byteLength(text, 'base64') > maxBytes ? 'too large' : Buffer.from(text, 'base64');
  }
  if (Buffer.byteLength(text) > maxBytes) return 'too large';
  // UTF-8 turns every lone surrogate into the same character, so different bodies would become equal.
  return Buffer.from(text, LONE_SURROGATE.test(text) ? 'utf16le' : 'utf8');
}
