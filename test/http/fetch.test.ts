import { describe, expect, it, jest } from '@jest/globals';
import { type ClaimStore, StoreError } from 'batchlatch';
import { type HttpIdempotencyOptions, withFetchIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { manualClock } from 'batchlatch/testing';

type Handler = (request: Request, ...rest: unknown[]) => Response | Promise<Response>;

describe('withFetchIdempotency', () => {
  it('hands the request itself on, its body unread, and further arguments', async () => {
    const seen: unknown[] = [];
    const handler = idempotent(async (request, ...rest) => {
      seen.push(request, ...rest, await request.text());
      return new Response('done');
    });
    const request = Object.assign(post(), { geo: 'added by a server' });
    const environment = { DB: 1 };
    expect(await (await handler(request, environment)).text()).toBe('done');
    expect(seen[0]).toBe(request);
    expect(seen.slice(1)).toEqual([environment, '{"amountCents":1}']);
  });

  it.each<[string, unknown]>([
    ['no request', undefined],
    ['an event of API Gateway', { rawPath: '/', headers: {}, requestContext: { http: { method: 'POST' } } }],
    ["Hono's own request", { url: 'http://a/', method: 'POST', header: () => 'k', raw: post() }],
    ["Node's request", { url: '/', method: 'POST', headers: { 'idempotency-key': 'k' } }],
    ['an object without a prototype', Object.create(null)],
  ])('says what it takes when it gets %s', async (_, request) => {
    const handler = idempotent(() => new Response('done'));
    await expect(handler(request as Request)).rejects.toMatchObject({
      code: 'BATCHLATCH_UNSUPPORTED_EVENT',
      message: expect.stringMatching(/^Expected a web-standard Request, got .*`c\.req\.raw`/),
    });
  });

  it('says that the body was read before, and leaves the key free', async () => {
    const handler = idempotent(async (request) => Response.json(await request.json()));
    const [read, beingRead] = [post(), post()];
    await read.text();
    beingRead.body?.getReader();
    for (const request of [read, beingRead]) {
      await expect(handler(request)).rejects.toMatchObject({
        code: 'BATCHLATCH_UNSUPPORTED_EVENT',
        message: expect.stringMatching(/was read before: pass a clone/),
      });
    }
    expect((await handler(post())).headers.get('idempotency-replayed')).toBeNull();
  });

  it('replays bytes that are no text', async () => {
    const bytes = new Uint8Array([0xff, 0x00, 0xef, 0xbb, 0xbf, 0x80]);
    const handler = idempotent(() => new Response(bytes, { headers: { 'content-type': 'image/png' } }));
    for (const expected of [null, 'true']) {
      const response = await handler(post());
      expect(response.headers.get('idempotency-replayed')).toBe(expected);
      expect(response.headers.get('content-type')).toBe('image/png');
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    }
  });

  it('replays text with a byte order mark as it is', async () => {
    const handler = idempotent(() => new Response('\uFEFFü'));
    await handler(post());
    const replay = await (await handler(post())).arrayBuffer();
    expect(Buffer.from(replay).toString('hex')).toBe('efbbbfc3bc');
  });

  it.each([204, 205, 304])('replays a %d, which has no body', async (status) => {
    const handler = idempotent(() => new Response(null, { status }));
    await handler(post());
    const replay = await handler(post());
    expect([replay.status, replay.body]).toEqual([status, null]);
  });

  it('gives every replay a body of its own', async () => {
    const handler = idempotent(() => Response.json({ id: 1 }));
    await handler(post());
    const [one, two] = [await handler(post()), await handler(post())];
    expect([await one.json(), await two.json()]).toEqual([{ id: 1 }, { id: 1 }]);
  });

  it('reads a stream to its end before it says that it is done', async () => {
    const store = memoryStore();
    const handler = idempotent(() => new Response(chunks('a', 'b', 'c')), { store });
    const response = await handler(post());
    expect(await store.inspect(KEY)).toMatchObject({ status: 'COMPLETED' });
    expect([await response.text(), await (await handler(post())).text()]).toEqual(['abc', 'abc']);
  });

  it('lets a stream that is longer than the bound flow on, whole', async () => {
    const parts = Array.from({ length: 50 }, (_, index) => `${index},`);
    const handler = idempotent(() => new Response(chunks(...parts)), { maxResponseBytes: 20 });
    expect(await (await handler(post())).text()).toBe(parts.join(''));
    expect((await handler(post())).status).toBe(410);
  });

  it('ends such a stream when its client goes away', async () => {
    let cancelled: unknown;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(30)),
      cancel(reason) {
        cancelled = reason;
      },
    });
    const handler = idempotent(() => new Response(endless), { maxResponseBytes: 20 });
    await (await handler(post())).body?.cancel('gone');
    expect(cancelled).toBe('gone');
  });

  it('adds no content type to a replay that the response did not have', async () => {
    const handler = idempotent(() => new Response(chunks('a')));
    for (const expected of [null, 'true']) {
      const response = await handler(post());
      expect(response.headers.get('idempotency-replayed')).toBe(expected);
      expect(response.headers.get('content-type')).toBeNull();
      expect(await response.text()).toBe('a');
    }
  });

  it('keeps server errors where it is told to', async () => {
    let runs = 0;
    const handler = idempotent(() => new Response(String((runs += 1)), { status: 500 }), {
      keepServerErrors: true,
    });
    await handler(post());
    const replay = await handler(post());
    expect([replay.status, await replay.text(), runs]).toEqual([500, '1', 1]);
  });

  it('takes all callers for one where it is told to', async () => {
    let runs = 0;
    const handler = idempotent(() => new Response(String((runs += 1))), { scope: 'shared-by-all-callers' });
    await handler(post({ 'x-tenant': 'a' }));
    expect(await (await handler(post({ 'x-tenant': 'b' }))).text()).toBe('1');
  });

  it('is 403 when `scope` fails, and tells whoever listens why', async () => {
    const errors: unknown[] = [];
    const handler = idempotent(() => new Response(), {
      scope: () => {
        throw new TypeError('no session');
      },
      onError: (error) => errors.push(error),
    });
    expect((await handler(post())).status).toBe(403);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_KEY', cause: { message: 'no session' } }]);
  });

  it('says nothing when a request merely has no caller', async () => {
    const errors: unknown[] = [];
    const handler = idempotent(() => new Response(), {
      scope: () => undefined,
      onError: (error) => errors.push(error),
    });
    expect((await handler(post())).status).toBe(403);
    expect(errors).toEqual([]);
  });

  it('gives the answer although its completion cannot be stored, and tells whoever listens', async () => {
    const clock = manualClock();
    const memory = memoryStore({ clock });
    const error = new StoreError('away', { isRetryable: true });
    const store: ClaimStore = { ...memory, settle: async (all) => all.map(() => ({ error })) };
    const errors: unknown[] = [];
    const handler = idempotent(() => new Response('charged', { status: 201 }), {
      store,
      clock,
      onError(thrown) {
        errors.push(thrown);
        throw new Error('a listener that is broken');
      },
    });
    const answer = handler(post());
    for (let second = 0; second < 5; second += 1) await clock.advance(1_000);
    expect((await answer).status).toBe(201);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_COMPLETION_NOT_STORED', cause: error }]);
    expect((await handler(post())).status).toBe(409);
  });

  it('gives the answer of an attempt that was overtaken, and tells whoever listens', async () => {
    const memory = memoryStore();
    const store: ClaimStore = { ...memory, settle: async (all) => all.map(() => 'lost' as const) };
    const errors: unknown[] = [];
    const handler = idempotent(() => new Response('charged'), {
      store,
      onError: (thrown) => errors.push(thrown),
    });
    expect(await (await handler(post())).text()).toBe('charged');
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_LEASE_LOST' }]);
  });

  it.each([
    [undefined, 'https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/'],
    ['https://api.example.com/idempotency', 'https://api.example.com/idempotency'],
  ])('links a problem to the documentation: %s', async (documentation, link) => {
    const options = documentation === undefined ? {} : { documentation };
    const response = await idempotent(() => new Response('never'), options)(post({ 'idempotency-key': '' }));
    expect(response.status).toBe(400);
    expect(response.headers.get('link')).toBe(`<${link}>; rel="describedby"; type="text/html"`);
    expect(response.headers.get('content-language')).toBe('en');
  });

  it.each(['no url', 'https://example.com/>; rel="x"', 'https://example.com/\r\nset-cookie: a=b'])(
    'refuses %j for the documentation',
    (documentation) => {
      expect(() => idempotent(() => new Response(), { documentation })).toThrow('`documentation`');
    },
  );

  it('is 410 for a key that a person marked as done', async () => {
    const store = memoryStore();
    const handler = idempotent(() => new Response('charged'), { store });
    const claim = { key: KEY, owner: 'a person', leaseMs: 1_000, retentionMs: 60_000 };
    await store.acquire([claim]);
    await store.settle([{ ...claim, end: 'complete' }]);
    expect((await handler(post())).status).toBe(410);
  });

  it('is 503 with Retry-After when the claim cannot be had, with a warning where nobody listens', async () => {
    const store: ClaimStore = {
      ...memoryStore(),
      acquire: () => Promise.reject(new StoreError('no such table', { isRetryable: false })),
    };
    const warnings = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const response = await idempotent(() => new Response('charged'), { store })(post());
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(warnings.mock.calls).toEqual([
      ['no such table', { type: 'BatchlatchWarning', code: 'BATCHLATCH_STORE' }],
    ]);
    warnings.mockRestore();
  });
});

const KEY = 'payments#http-v1:["acme","k"]';

function post(headers: Record<string, string> = {}): Request {
  return new Request('https://api.example.com/payments?b=2&a=1', {
    method: 'POST',
    headers: { 'idempotency-key': 'k', 'content-type': 'application/json', 'x-tenant': 'acme', ...headers },
    body: '{"amountCents":1}',
  });
}

function chunks(...texts: string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull(controller) {
      const text = texts.shift();
      if (text === undefined) controller.close();
      else controller.enqueue(encoder.encode(text));
    },
  });
}

function idempotent(handler: Handler, options: Partial<HttpIdempotencyOptions<Request>> = {}) {
  return withFetchIdempotency(handler, {
    namespace: 'payments',
    scope: (request) => request.headers.get('x-tenant'),
    store: memoryStore(),
    ...options,
  });
}
