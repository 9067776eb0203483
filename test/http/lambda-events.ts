import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';

/** One request, to be put into the shape of any carrier. `null` leaves a header out. */
export interface SentRequest {
  readonly method?: string;
  readonly key?: string | null;
  readonly keyHeader?: string;
  readonly tenant?: string | null;
  readonly contentType?: string;
  readonly query?: readonly [string, string][];
  readonly body?: string | null;
  readonly isBase64?: boolean;
}

const PATH = '/payments';

/** As a REST API sends it: all headers twice, spelt as the client does. */
export function restEvent(sent: SentRequest): APIGatewayProxyEvent {
  const { method = 'POST', query = [], body = '{"amountCents":1}', isBase64 = false } = sent;
  const headers = headersOf(sent);
  return {
    resource: '/{proxy+}',
    path: PATH,
    httpMethod: method,
    headers,
    multiValueHeaders: listed(Object.entries(headers)),
    queryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.length === 0 ? null : listed(query),
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      resourcePath: '/{proxy+}',
      httpMethod: method,
    } as APIGatewayProxyEvent['requestContext'],
    body,
    isBase64Encoded: isBase64,
  };
}

/** As an HTTP API or a function URL sends it: headers in lower case. */
export function v2Event(sent: SentRequest): APIGatewayProxyEventV2 {
  const { method = 'POST', query = [], body = '{"amountCents":1}', isBase64 = false } = sent;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: PATH,
    rawQueryString: new URLSearchParams([...query]).toString(),
    headers: lowerCased(headersOf(sent)),
    requestContext: { http: { method, path: PATH } } as APIGatewayProxyEventV2['requestContext'],
    ...(body !== null && { body }),
    isBase64Encoded: isBase64,
  };
}

/** As a load balancer sends it: headers and parameters once, or as lists. */
export function albEvent(sent: SentRequest, kind: 'single' | 'multi'): ALBEvent {
  const { method = 'POST', query = [], body = '{"amountCents":1}', isBase64 = false } = sent;
  const headers = lowerCased(headersOf(sent));
  return {
    requestContext: { elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:us-east-1:1:targetgroup/t/1' } },
    httpMethod: method,
    path: PATH,
    ...(kind === 'single'
      ? { headers, queryStringParameters: Object.fromEntries(query) }
      : {
          multiValueHeaders: listed(Object.entries(headers)),
          multiValueQueryStringParameters: listed(query),
        }),
    body: body ?? '',
    isBase64Encoded: isBase64,
  };
}

function headersOf(sent: SentRequest): Record<string, string> {
  const {
    key = 'k',
    keyHeader = 'Idempotency-Key',
    tenant = 'acme',
    contentType = 'application/json',
  } = sent;
  return {
    'Content-Type': contentType,
    ...(tenant !== null && { 'x-tenant': tenant }),
    ...(key !== null && { [keyHeader]: key }),
  };
}

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function listed(pairs: readonly (readonly [string, string])[]): Record<string, string[]> {
  const lists: Record<string, string[]> = {};
  for (const [name, value] of pairs) (lists[name] ??= []).push(value);
  return lists;
}
