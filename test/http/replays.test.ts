import { describe, expect, it } from '@jest/globals';
import { withFetchIdempotency, withHttpIdempotency, type HttpIdempotencyOptions } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext } from 'batchlatch/testing';
import { v2Event } from './lambda-events.ts';

const CREDENTIALS = {
  'set-cookie': 'session=secret',
  authorization: 'Bearer secret',
  'authentication-info': 'nextnonce="secret"',
  'www-authenticate': 'Bearer error="secret"',
  'proxy-authenticate': 'Basic',
  'proxy-anything': 'secret',
  'x-amzn-remapped-authorization': 'secret',
  'x-amzn-remapped-www-authenticate': 'secret',
  'x-api-key': 'secret',
  'x-auth-token': 'secret',
  'x-amz-security-token': 'secret',
};

describe('a replay', () => {
  it('repeats no credentials, and none are stored', async () => {
    const store = memoryStore();
    const handler = idempotent({ ...CREDENTIALS, location: '/1' }, { store });
    const first = await handler(post());
    expect(first.headers.get('set-cookie')).toBe('session=secret');
    const replay = await handler(post());
    expect([...replay.headers.keys()].sort()).toEqual(['content-type', 'idempotency-replayed', 'location']);
    expect(JSON.stringify(await store.inspect(KEY))).not.toContain('secret');
  });

  it('keeps the headers that it is told to, and drops others', async () => {
    const handler = idempotent(
      { ...CREDENTIALS, location: '/1', 'x-request-id': '1' },
      { headers: { keep: ['Set-Cookie', 'X-Auth-Token', 'Connection'], drop: ['X-Request-Id'] } },
    );
    await handler(post());
    const replay = await handler(post());
    expect([...replay.headers.keys()].sort()).toEqual([
      'content-type',
      'idempotency-replayed',
      'location',
      'set-cookie',
      'x-auth-token',
    ]);
  });

  it('drops what was stored before it was told to drop it', async () => {
    const store = memoryStore();
    await idempotent({ 'x-request-id': '1' }, { store })(post());
    const replay = await idempotent({}, { store, headers: { drop: ['x-request-id'] } })(post());
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(replay.headers.get('x-request-id')).toBeNull();
  });

  it.each([
    ['no list', { keep: 'set-cookie' }],
    ['no name', { drop: ['a b'] }],
    ['another member', { omit: [] }],
  ])('refuses %s for `headers` at start', (_what, headers) => {
    expect(() => idempotent({}, { headers: headers as never })).toThrow(
      /Expected `headers` to be an object \{ keep\?/,
    );
  });

  it('leaves out headers without a value', async () => {
    const handler = withHttpIdempotency<ReturnType<typeof v2Event>, unknown>(
      async () => ({
        statusCode: 201,
        headers: { location: undefined, etag: null, 'x-zero': 0 },
        multiValueHeaders: { via: [undefined, 'a', null], none: null },
        cookies: [undefined, 'a=1'],
        body: '',
      }),
      {
        namespace: 'n',
        scope: () => 'acme',
        store: memoryStore(),
        headers: { keep: ['set-cookie'] },
      },
    );
    await handler(v2Event({}), lambdaContext());
    expect(await handler(v2Event({}), lambdaContext())).toEqual({
      statusCode: 201,
      headers: { 'x-zero': '0', via: 'a', 'idempotency-replayed': 'true' },
      cookies: ['a=1'],
      body: '',
      isBase64Encoded: false,
    });
  });

  it('is authorized anew where the API says so', async () => {
    let runs = 0;
    const handler = withFetchIdempotency(async () => new Response(`secret ${(runs += 1)}`), {
      namespace: 'payments',
      scope: () => 'acme',
      store: memoryStore(),
      authorizeReplay: async (request) => request.headers.get('x-role') === 'clerk',
    });
    await handler(post());
    expect(await (await handler(post({ 'x-role': 'clerk' }))).text()).toBe('secret 1');
    const refused = await handler(post({ 'x-role': 'guest' }));
    expect(refused.status).toBe(403);
    const problem = await refused.text();
    expect(problem).toContain('urn:problem-type:batchlatch:replay-refused');
    expect(problem).not.toContain('secret');
    expect(runs).toBe(1);
  });

  it('is refused by an authorization that fails, or gives anything but true', async () => {
    const errors: unknown[] = [];
    for (const authorizeReplay of [
      () => Promise.reject(new Error('no directory')),
      () => {
        throw new Error('no directory');
      },
      () => 'yes' as unknown as boolean,
      () => undefined as unknown as boolean,
    ]) {
      const handler = idempotent({}, { authorizeReplay, onError: (error) => errors.push(error) });
      expect((await handler(post())).status).toBe(201);
      expect((await handler(post())).status).toBe(403);
    }
    expect(errors).toMatchObject([{ message: 'no directory' }, { message: 'no directory' }]);
  });

  it('needs the authorization also where it only says how the first request ended', async () => {
    const options = { maxResponseBytes: 10, authorizeReplay: () => false };
    const handler = idempotent({}, options);
    await handler(post());
    expect((await handler(post())).status).toBe(403);
  });
});

describe('the caller of a request', () => {
  it('may be found out asynchronously', async () => {
    const scope = async (request: Request): Promise<string | null> => request.headers.get('x-verified');
    const handler = idempotent({}, { scope });
    await handler(post({ 'x-verified': 'a' }));
    expect((await handler(post({ 'x-verified': 'b' }))).headers.get('idempotency-replayed')).toBeNull();
    expect((await handler(post({ 'x-verified': 'a' }))).headers.get('idempotency-replayed')).toBe('true');
    expect((await handler(post())).status).toBe(403);
  });

  it('is unknown when that fails: 403, and nobody’s unhandled rejection', async () => {
    const errors: unknown[] = [];
    const handler = idempotent(
      {},
      { scope: () => Promise.reject(new Error('no directory')), onError: (error) => errors.push(error) },
    );
    expect((await handler(post())).status).toBe(403);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_KEY', cause: { message: 'no directory' } }]);
  });
});

describe('a key', () => {
  it('is refused when it is too long together with its caller, and the caller is not blamed', async () => {
    const errors: unknown[] = [];
    const options = {
      scope: () => 'a'.repeat(1_500),
      maxKeyLength: 1_024,
      onError: (error: unknown) => errors.push(error),
    };
    const handler = idempotent({}, options);
    const response = await handler(post({ 'idempotency-key': 'k'.repeat(1_000) }));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('too long for this caller');
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_KEY' }]);
  });
});

const KEY = 'payments#http-v1:["acme","k"]';

function idempotent(headers: Record<string, string>, options: Partial<HttpIdempotencyOptions<Request>> = {}) {
  return withFetchIdempotency(() => Response.json({ id: 1 }, { status: 201, headers }), {
    namespace: 'payments',
    scope: () => 'acme',
    store: memoryStore(),
    ...options,
  });
}

function post(headers: Record<string, string> = {}): Request {
  return new Request('https://api.example.com/payments', {
    method: 'POST',
    headers: { 'idempotency-key': 'k', 'content-type': 'application/json', ...headers },
    body: '{"amountCents":1}',
  });
}
