import { describe, expect, it } from '@jest/globals';
import { withFetchIdempotency, withHttpIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext } from 'batchlatch/testing';
import { albEvent, restEvent, v2Event } from './lambda-events.ts';

describe('two requests with one key', () => {
  it.each([
    ['application/json', [0x22, 0xfc, 0x22], [0x22, 0xfb, 0x22]],
    ['application/json; charset=iso-8859-1', [0x22, 0xe9, 0x22], [0x22, 0xe8, 0x22]],
    ['application/octet-stream', [0xff, 0xfe], [0xff, 0xfd]],
    ['text/plain; charset=iso-8859-1', [0xfc], [0xfb]],
  ])('are different when the bytes of their bodies are: %s', async (contentType, one, other) => {
    const handler = overFetch();
    const send = (body: readonly number[]) =>
      handler(post({ 'content-type': contentType }, new Uint8Array(body)));
    expect((await send(one)).status).toBe(201);
    expect((await send(other)).status).toBe(422);
    expect((await send(one)).headers.get('idempotency-replayed')).toBe('true');
    const invoked = overLambda();
    const invoke = async (key: string, body: readonly number[]): Promise<unknown> =>
      invoked(
        v2Event({ key, contentType, body: Buffer.from(body).toString('base64'), isBase64: true }),
        lambdaContext(),
      );
    expect(await invoke('b', one)).toMatchObject({ statusCode: 201 });
    expect(await invoke('b', other)).toMatchObject({ statusCode: 422 });
  });

  it('are different when their bodies differ in what is no Unicode', async () => {
    const invoked = overLambda();
    const invoke = async (body: string): Promise<unknown> =>
      invoked(restEvent({ contentType: 'text/plain', body }), lambdaContext());
    expect(await invoke('\uD800')).toMatchObject({ statusCode: 201 });
    expect(await invoke('\uD801')).toMatchObject({ statusCode: 422 });
  });

  it('are different when their queries differ in bytes that are no UTF-8', async () => {
    const handler = overFetch();
    expect((await handler(post({}, '{}', '?a=%FF'))).status).toBe(201);
    expect((await handler(post({}, '{}', '?a=%FE'))).status).toBe(422);
    const invoked = overLambda();
    expect(await invoked({ ...v2Event({}), rawQueryString: 'a=%FF' }, lambdaContext())).toMatchObject({
      statusCode: 201,
    });
    expect(await invoked({ ...v2Event({}), rawQueryString: 'a=%FE' }, lambdaContext())).toMatchObject({
      statusCode: 422,
    });
  });
});

describe('an event that is damaged', () => {
  const events = {
    rest: () => restEvent({}),
    v2: () => v2Event({}),
    alb: () => albEvent({}, 'single'),
  };

  it.each<[shape: keyof typeof events, members: Record<string, unknown>, named: string]>([
    ['v2', { headers: undefined }, '`headers`'],
    ['v2', { headers: null }, '`headers`'],
    ['v2', { headers: { 'idempotency-key': 1 } }, '`headers`'],
    ['v2', { rawPath: undefined }, '`rawPath`'],
    ['v2', { rawPath: 1 }, '`rawPath`'],
    ['v2', { rawQueryString: {} }, '`rawQueryString`'],
    ['v2', { body: { a: 1 } }, '`body`'],
    ['v2', { isBase64Encoded: 'yes' }, '`isBase64Encoded`'],
    ['v2', { requestContext: null }, '`requestContext.http.method`'],
    ['v2', { requestContext: { http: null } }, '`requestContext.http.method`'],
    ['v2', { requestContext: { http: { method: 1 } } }, '`requestContext.http.method`'],
    ['rest', { headers: undefined, multiValueHeaders: undefined }, '`headers`'],
    ['rest', { multiValueHeaders: { a: 1 } }, '`multiValueHeaders`'],
    ['rest', { multiValueHeaders: { a: [1] } }, '`multiValueHeaders`'],
    ['rest', { headers: 'a: b' }, '`headers`'],
    ['rest', { path: null }, '`path`'],
    ['rest', { path: ['/'] }, '`path`'],
    ['rest', { httpMethod: null }, '`httpMethod`'],
    ['rest', { requestContext: null }, '`requestContext`'],
    ['rest', { requestContext: 'elb' }, '`requestContext`'],
    ['rest', { queryStringParameters: 'a=b' }, '`queryStringParameters`'],
    ['rest', { multiValueQueryStringParameters: { a: 'b' } }, '`multiValueQueryStringParameters`'],
    ['rest', { body: 1 }, '`body`'],
    ['alb', { requestContext: null }, '`requestContext`'],
    ['alb', { headers: { a: { b: 1 } } }, '`headers`'],
  ])('is refused with what is wrong: %s %j', async (shape, members, named) => {
    let runs = 0;
    const handler = overLambda(() => (runs += 1));
    const error = await handler({ ...events[shape](), ...members }, lambdaContext()).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'BATCHLATCH_UNSUPPORTED_EVENT',
      message: expect.stringContaining(named),
    });
    expect(runs).toBe(0);
  });

  it('is fine without headers where the carrier says that there are none', async () => {
    const event = { ...restEvent({}), headers: null, multiValueHeaders: null };
    expect(await overLambda()(event as never, lambdaContext())).toMatchObject({ statusCode: 400 });
  });
});

function overFetch() {
  return withFetchIdempotency(() => new Response('done', { status: 201 }), {
    namespace: 'n',
    scope: () => 'acme',
    store: memoryStore(),
  });
}

type Event = ReturnType<typeof restEvent> | ReturnType<typeof v2Event> | ReturnType<typeof albEvent>;

function overLambda(onRun: () => unknown = () => undefined) {
  return withHttpIdempotency<Event, unknown>(
    async () => {
      onRun();
      return { statusCode: 201, body: 'done' };
    },
    { namespace: 'n', scope: () => 'acme', store: memoryStore() },
  );
}

function post(headers: Record<string, string>, body: string | Uint8Array<ArrayBuffer>, query = ''): Request {
  return new Request(`https://api.example.com/payments${query}`, {
    method: 'POST',
    headers: { 'idempotency-key': 'k', 'content-type': 'application/json', ...headers },
    body,
  });
}
