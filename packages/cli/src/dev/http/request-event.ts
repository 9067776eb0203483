import { type Buffer, isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { LOCAL_ACCOUNT } from '../places.ts';
import type { HttpTrigger } from '../stack.ts';
import type { FoundRoute } from './find-route.ts';

/** A request and the route that it takes. */
export interface RoutedRequest extends FoundRoute<HttpTrigger> {
  readonly request: Pick<IncomingMessage, 'method' | 'headersDistinct' | 'httpVersion'>;
  readonly path: string;
  readonly query: string;
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly time: number;
  /** The claims of its token, if the route needs one. */
  readonly claims: Readonly<Record<string, string>> | undefined;
}

/**
 * Returns a request as an event of API Gateway's payload format 2.0, which function URLs have too:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
export function requestEvent(routed: RoutedRequest): object {
  const { request, route, path, query, pathParameters, body } = routed;
  const { cookie, ...headers } = request.headersDistinct;
  const shownHeaders = { ...joined(Object.entries(headers)), 'x-forwarded-for': routed.sourceIp };
  const parameters = [...new URLSearchParams(query)].map(([name, value]) => [name, [value]] as const);
  const isText = isTextual(request.headersDistinct['content-type']?.[0], body);
  return {
    version: '2.0',
    routeKey: route.routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookie !== undefined && { cookies: cookie.flatMap((one) => one.split(/; */)) }),
    headers: shownHeaders,
    ...(parameters.length > 0 && { queryStringParameters: joined(parameters) }),
    requestContext: contextOf(routed),
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

function contextOf({ request, route, path, sourceIp, requestId, time, claims }: RoutedRequest): object {
  const { host, 'user-agent': userAgent } = request.headersDistinct;
  return {
    accountId: LOCAL_ACCOUNT,
    apiId: route.endpointId,
    ...(claims !== undefined && { authorizer: { jwt: { claims, scopes: null } } }),
    domainName: host?.[0]?.replace(/:\d+$/, '') ?? '',
    domainPrefix: route.endpointId,
    http: {
      method: request.method,
      path,
      protocol: `HTTP/${request.httpVersion}`,
      sourceIp,
      userAgent: userAgent?.[0] ?? '',
    },
    requestId,
    routeKey: route.routeKey,
    stage: '$default',
    time: accessLogTime(time),
    timeEpoch: time,
  };
}

/** Joins values of one name by commas. */
function joined(
  lists: Iterable<readonly [name: string, values: readonly string[] | undefined]>,
): Record<string, string> {
  const all = new Map<string, string>();
  for (const [name, values = []] of lists) {
    all.set(name, [...(all.has(name) ? [all.get(name)] : []), ...values].join(','));
  }
  return Object.fromEntries(all);
}

const TEXT_TYPE = /^\s*(text\/|application\/(json|javascript|xml)\b|[^;]*\+(json|xml)\b)/i;

/** Returns whether a body is text for API Gateway, which passes others, forms among them, as base64. */
function isTextual(contentType: string | undefined, body: Buffer): boolean {
  return isUtf8(body) && (contentType === undefined || TEXT_TYPE.test(contentType));
}

/** Returns a time such as `12/Mar/2026:19:03:58 +0000`. */
function accessLogTime(time: number): string {
  const [, day, month, year, clock] = new Date(time).toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
