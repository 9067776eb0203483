import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { manualClock } from 'batchlatch/testing';
import { type RunningHttp, startHttp } from '../../../src/dev/http/start-http.ts';
import type { InvocationResult } from '../../../src/dev/invoke-result.ts';
import { choosePlaces } from '../../../src/dev/places.ts';
import type { DevEvent } from '../../../src/dev/report/dev-event.ts';
import type { DevStack } from '../../../src/dev/stack.ts';
import { readStack } from '../../../src/dev/template/read-stack.ts';

const TEMPLATE = `
Globals: { HttpApi: { CorsConfiguration: true } }
Resources:
  Api: { Type: AWS::Serverless::HttpApi, Properties: { Auth: { DefaultAuthorizer: Tokens, Authorizers: {
    Tokens: { JwtConfiguration: { issuer: i, audience: [a] } }, Own: { FunctionArn: arn } } } } }
  Orders: { Type: AWS::Serverless::Function, Properties: { Handler: a.b, FunctionUrlConfig: { AuthType: AWS_IAM }, Events: {
    Get: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: get, Path: '/orders/{id}', Auth: { Authorizer: NONE } } },
    Put: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: put, Path: '/orders/{id}' } },
    Own: { Type: HttpApi, Properties: { ApiId: !Ref Api, Method: post, Path: '/own', Auth: { Authorizer: Own } } },
    Old: { Type: HttpApi, Properties: { PayloadFormatVersion: '1.0' } },
    Rest: { Type: Api, Properties: { Method: get, Path: / } } } } }
  Streaming: { Type: AWS::Lambda::Url, Properties: { TargetFunctionArn: !Ref Orders, InvokeMode: RESPONSE_STREAM, AuthType: NONE } }
`;

let stack: DevStack;
let http: RunningHttp;
let result: InvocationResult;
let invoked: [string, Readonly<Record<string, unknown>>][] = [];
let events: DevEvent[] = [];
beforeAll(async () => {
  stack = readStack({ file: '/shop/template.yaml', text: TEMPLATE }, await choosePlaces());
  http = await startHttp({
    stack,
    clock: manualClock(Date.UTC(2026, 2, 12, 19, 3, 58)),
    invoke: async (id, event) => {
      invoked.push([id, event as Readonly<Record<string, unknown>>]);
      return result;
    },
    onEvent: (event) => events.push(event),
  });
});
afterAll(() => http.stop());

it('says which port the next endpoint would have had, where there is none above', async () => {
  const starting = startHttp({
    stack,
    port: 65_535,
    clock: manualClock(0),
    invoke: () => Promise.reject(new Error('Nothing is invoked')),
    onEvent: () => undefined,
  });
  await expect(starting).rejects.toMatchObject({
    message: 'The port of http://127.0.0.1:65536 is above 65535; choose another.',
  });
});

beforeEach(() => {
  [invoked, events] = [[], []];
  result = { ok: true, payload: { statusCode: 204 } };
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Sends a request with headers that `fetch` does not let through. */
async function send(
  where: string,
  { endpoint = 'Api', method = 'GET', headers = {}, body = Buffer.alloc(0) } = {},
): Promise<Answer> {
  const sent = request(`${http.addresses.get(endpoint)}${where}`, { method, headers });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await buffer(response)).toString();
  return { status: response.statusCode, headers: response.headers, body: text };
}

describe('A template with HTTP', () => {
  it('has an address for each API and function URL, and notes for what is not served or differs', () => {
    expect([...http.addresses.keys()]).toEqual(['Api', 'OrdersUrl']);
    expect(stack.notes).toEqual([
      'Api is served without its CorsConfiguration.',
      'Api reads the claims of tokens, and does not verify them.',
      'Api lets every request pass: its authorizer Own does not run.',
      'Orders, event Old is not served here: its payload format is 1.0, and only 2.0 is.',
      'OrdersUrl lets every request pass: its authorizer AWS_IAM does not run.',
      'Streaming is not served here: it streams its response.',
      'Events of these types invoke no function here: Api.',
    ]);
  });
});

describe('A request', () => {
  it('is an event of payload format 2.0', async () => {
    const headers = { cookie: 'a=1; b=2', 'x-many': ['1', '2'], 'user-agent': 'test', host: 'localhost:1' };
    await send('/orders/a%2Fb?q=1&q=2&r=x+y', { headers });
    expect(invoked).toMatchObject([
      [
        'Orders',
        {
          version: '2.0',
          routeKey: 'GET /orders/{id}',
          rawPath: '/orders/a%2Fb',
          rawQueryString: 'q=1&q=2&r=x+y',
          cookies: ['a=1', 'b=2'],
          headers: { 'x-many': '1,2', 'x-forwarded-for': '127.0.0.1' },
          queryStringParameters: { q: '1,2', r: 'x y' },
          pathParameters: { id: 'a/b' },
          requestContext: {
            apiId: 'Api',
            domainName: 'localhost',
            http: { method: 'GET', path: '/orders/a%2Fb', sourceIp: '127.0.0.1', userAgent: 'test' },
            stage: '$default',
            time: '12/Mar/2026:19:03:58 +0000',
            timeEpoch: Date.UTC(2026, 2, 12, 19, 3, 58),
          },
          isBase64Encoded: false,
        },
      ],
    ]);
    expect(Object.keys(invoked[0]?.[1] ?? {})).not.toContain('body');
  });

  it.each([
    ['application/json', Buffer.from('{"ä":1}'), '{"ä":1}', false],
    ['application/json', Buffer.from([0xff]), '/w==', true],
    ['application/x-www-form-urlencoded', Buffer.from('a=1'), 'YT0x', true],
  ])('of the type %s has the body as API Gateway passes it', async (type, body, passed, isBase64Encoded) => {
    const headers = { 'content-type': type };
    await send('/any?x', { endpoint: 'OrdersUrl', method: 'POST', headers, body });
    const [, event] = invoked[0] ?? [];
    expect(event).toMatchObject({ routeKey: '$default', body: passed, isBase64Encoded });
  });

  it('needs a token where the template wants one, whose claims are texts', async () => {
    expect(await send('/orders/1', { method: 'PUT' })).toMatchObject({
      status: 401,
      body: '{"message":"Unauthorized"}',
    });
    expect(invoked).toEqual([]);
    const claims = Buffer.from('{"sub":"ann","exp":1,"groups":["a","b"]}').toString('base64url');
    await send('/orders/1', { method: 'PUT', headers: { authorization: `Bearer e30.${claims}.` } });
    const jwt = { claims: { sub: 'ann', exp: '1', groups: '[a b]' }, scopes: null };
    expect(invoked[0]?.[1]).toMatchObject({ requestContext: { authorizer: { jwt } } });
  });

  it('gets 404 without a route, 413 with a body that is too large, and 403 from a web page', async () => {
    expect(await send('/nothing')).toMatchObject({ status: 404, body: '{"message":"Not Found"}' });
    const body = Buffer.alloc(6_291_457);
    expect(await send('/', { endpoint: 'OrdersUrl', method: 'POST', body })).toMatchObject({
      status: 413,
      body: '{"message":"Request Entity Too Large"}',
    });
    expect((await send('/orders/1', { headers: { origin: 'http://shop.example' } })).status).toBe(403);
    expect(invoked).toEqual([]);
  });
});

describe('The response', () => {
  it('has the status, headers, cookies and binary body of the answer', async () => {
    const body = Buffer.from('ä').toString('base64');
    const headers = { 'X-Number': 1, 'Content-Length': 99, Trailer: 'x-number' };
    const cookies = ['a=1', 'b=2'];
    result = { ok: true, payload: { statusCode: 201, headers, cookies, body, isBase64Encoded: true } };
    expect(await send('/orders/1')).toMatchObject({
      status: 201,
      headers: { 'x-number': '1', 'set-cookie': cookies, 'content-length': '2' },
      body: 'ä',
    });
  });

  it.each([
    ['a text', 'hello', 'hello'],
    ['an object', { a: 1 }, '{"a":1}'],
    ['nothing', undefined, 'null'],
  ])('is %s with status 200 if the answer is that', async (_, payload, body) => {
    result = { ok: true, payload };
    expect(await send('/orders/1')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
    });
  });

  it.each([
    ['no number as status', { statusCode: 'ok' }, 'its `statusCode` is not a number from 200 to 599'],
    [
      'a header of two lines',
      { statusCode: 200, headers: { a: '1\r\nb: 2' } },
      'its header `a` is not valid',
    ],
    [
      'a header that is no text',
      { statusCode: 200, headers: { a: { toString: 1 } } },
      'its header `a` is not valid',
    ],
    ['an object as body', { statusCode: 200, body: {} }, 'its `body` is not a text'],
  ])('is 502 for an answer with %s, and the reason is reported', async (_, payload, reason) => {
    result = { ok: true, payload };
    const answer = await send('/orders/1');
    expect(answer).toMatchObject({ status: 502, body: '{"message":"Internal Server Error"}' });
    const reported = {
      type: 'answered',
      functionId: 'Orders',
      method: 'GET',
      path: '/orders/1',
      status: 502,
    };
    expect(events).toMatchObject([{ ...reported, reason }]);
  });

  it.each([
    ['fails', {}, 502, 'Internal Server Error'],
    ['times out', { isTimeout: true }, 504, 'Gateway Timeout'],
    ['is throttled', { isThrottled: true }, 503, 'Service Unavailable'],
  ])('is an error without details if the function %s', async (_, more, status, message) => {
    result = { ok: false, errorType: 'Error', errorMessage: 'secret', ...more };
    expect(await send('/orders/1')).toMatchObject({ status, body: JSON.stringify({ message }) });
  });
});
