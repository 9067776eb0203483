import { Buffer } from 'node:buffer';
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { UnsupportedEventError } from '../sources/errors.ts';
import type { HttpRequest } from './http-message.ts';

/** API Gateway REST and HTTP APIs (payload 1.0 and 2.0), Lambda function URLs (2.0) and Application Load Balancers. */
export type LambdaHttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2 | ALBEvent;

/** How a response has to look. `single`: a load balancer without multi-value headers. */
export type ResponseShape = 'v1' | 'v2' | 'multi' | 'single';

/** Throws an `UnsupportedEventError`, which names what came, for anything that is no HTTP request. */
export function readLambdaEvent(event: unknown): {
  readonly request: HttpRequest;
  readonly shape: ResponseShape;
} {
  if (isV2(event)) return { request: requestOfV2(event), shape: 'v2' };
  if (isV1(event)) return { request: requestOfV1(event), shape: shapeOfV1(event) };
  const shown =
    typeof event === 'object' && event !== null
      ? `an object with ${Object.keys(event).slice(0, 8).join(', ') || 'nothing in it'}`
      : typeof event;
  throw new UnsupportedEventError(
    `Expected an event of API Gateway, a Lambda function URL or an Application Load Balancer, got ${shown}`,
  );
}

function isV2(event: unknown): event is APIGatewayProxyEventV2 {
  const { requestContext } = (event ?? {}) as { requestContext?: { http?: { method?: unknown } } };
  return typeof requestContext?.http?.method === 'string';
}

function isV1(event: unknown): event is APIGatewayProxyEvent | ALBEvent {
  const { httpMethod, path } = (event ?? {}) as { httpMethod?: unknown; path?: unknown };
  return typeof httpMethod === 'string' && typeof path === 'string';
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
    query: [...new URLSearchParams(event.rawQueryString)],
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

type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Of the first fields that have the header: a REST API sends all headers twice. */
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
    (typeof value === 'string' ? [value] : (value ?? [])).map((one): [string, string] => [name, one]),
  );
}

function bodyOf(
  { body, isBase64Encoded }: { readonly body?: string | null; readonly isBase64Encoded?: boolean },
  maxBytes: number,
): Uint8Array | 'too large' {
  const text = body ?? '';
  // Known from the text's length, before anything is decoded.
  if (isBase64Encoded === true) {
    return Buffer.byteLength(text, 'base64') > maxBytes ? 'too large' : Buffer.from(text, 'base64');
  }
  return Buffer.byteLength(text) > maxBytes ? 'too large' : Buffer.from(text);
}
