import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ALBEvent, APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { withHttpIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext } from 'batchlatch/testing';
import { albEvent, restEvent, v2Event } from './lambda-events.ts';

/** The same request in every shape that carries one, and how the shape gives two cookies back. */
const shapes = [
  {
    name: 'API Gateway REST (payload 1.0)',
    event: restEvent,
    cookies: ({ multiValueHeaders }: Answer) => multiValueHeaders?.['set-cookie'],
    header: ({ headers }: Answer, name: string) => headers?.[name],
  },
  {
    name: 'HTTP API or function URL (payload 2.0)',
    event: v2Event,
    cookies: ({ cookies }: Answer) => cookies,
    header: ({ headers }: Answer, name: string) => headers?.[name],
  },
  {
    name: 'ALB',
    event: (sent: Parameters<typeof albEvent>[0]) => albEvent(sent, 'single'),
    cookies: ({ headers }: Answer) => headers?.['set-cookie']?.split(' '),
    header: ({ headers }: Answer, name: string) => headers?.[name],
  },
  {
    name: 'ALB with multi-value headers',
    event: (sent: Parameters<typeof albEvent>[0]) => albEvent(sent, 'multi'),
    cookies: ({ multiValueHeaders }: Answer) => multiValueHeaders?.['set-cookie'],
    header: ({ multiValueHeaders }: Answer, name: string) => multiValueHeaders?.[name]?.[0],
  },
] as const;

describe.each(shapes)('$name', ({ name, event, cookies, header }) => {
  it('gives the handler its event and context, and its answer back, untouched', async () => {
    const answer = { statusCode: 201, body: '{"id":1}', headers: { 'X-Own': 'a' } };
    const seen: unknown[] = [];
    const handler = idempotent(async (given, lambda) => {
      seen.push(given, lambda);
      return answer;
    });
    const [given, lambda] = [event({}), lambdaContext()];
    expect(await handler(given, lambda)).toBe(answer);
    expect(seen[0]).toBe(given);
    expect(seen[1]).toBe(lambda);
  });

  it.each([
    ['headers and body', {}, undefined],
    ['cookies too where it is told to', { headers: { keep: ['Set-Cookie'] } }, ['a=1', 'b=2']],
  ])('replays status, %s', async (_what, options, replayed) => {
    let runs = 0;
    const handler = idempotent(async () => {
      runs += 1;
      return {
        statusCode: 202,
        body: '{"id":1}',
        headers: {
          'Content-Type': 'application/json',
          Date: 'yesterday',
          Connection: 'close, X-Hop',
          'X-Hop': '1',
          'Content-Length': 8,
        },
        ...(name.includes('2.0')
          ? { cookies: ['a=1', 'b=2'] }
          : { multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] } }),
      };
    }, options);
    const key = randomUUID();
    await handler(event({ key }), lambdaContext());
    const replay = (await handler(event({ key: `"${key}"` }), lambdaContext())) as Answer;
    expect(runs).toBe(1);
    expect(replay).toMatchObject({ statusCode: 202, body: '{"id":1}', isBase64Encoded: false });
    expect(header(replay, 'idempotency-replayed')).toBe('true');
    expect(header(replay, 'content-type')).toBe('application/json');
    for (const gone of ['date', 'connection', 'x-hop', 'content-length']) {
      expect(header(replay, gone)).toBeUndefined();
    }
    expect(cookies(replay)).toEqual(name === 'ALB' ? replayed?.slice(1) : replayed);
  });

  it('replays bytes', async () => {
    const handler = idempotent(async () => ({ statusCode: 200, body: '/+8=', isBase64Encoded: true }));
    const key = randomUUID();
    await handler(event({ key }), lambdaContext());
    expect(await handler(event({ key }), lambdaContext())).toMatchObject({
      body: '/+8=',
      isBase64Encoded: true,
    });
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE'])('lets %s pass, with a key or without', async (method) => {
    let runs = 0;
    const handler = idempotent(async () => ({ statusCode: 200, body: String((runs += 1)) }));
    await handler(event({ method, key: 'same' }), lambdaContext());
    await handler(event({ method, key: 'same' }), lambdaContext());
    await handler(event({ method, key: null }), lambdaContext());
    expect(runs).toBe(3);
  });

  it('answers problems in its own shape', async () => {
    const handler = idempotent(async () => ({ statusCode: 200, body: '' }));
    const missing = (await handler(event({ key: null }), lambdaContext())) as Answer;
    expect(missing.statusCode).toBe(400);
    expect(header(missing, 'content-type')).toBe('application/problem+json');
    expect(JSON.parse(missing.body)).toMatchObject({ status: 400, title: 'Idempotency-Key is missing' });
    const unknown = (await handler(event({ tenant: null }), lambdaContext())) as Answer;
    expect(unknown.statusCode).toBe(403);
  });

  it('compares bodies by their JSON, other bodies by their bytes, in base64 too', async () => {
    const handler = idempotent(async () => ({ statusCode: 200, body: '' }));
    const status = async (sent: Parameters<typeof event>[0]): Promise<number> =>
      ((await handler(event({ key: 'same', ...sent }), lambdaContext())) as Answer).statusCode;
    expect(await status({ body: '{"a":1,"b":2}' })).toBe(200);
    expect(await status({ body: '{"b":2, "a":1}' })).toBe(200);
    expect(await status({ body: Buffer.from('{"b":2,"a":1.0}').toString('base64'), isBase64: true })).toBe(
      200,
    );
    expect(await status({ body: '{"a":1}' })).toBe(422);
    expect(await status({ key: 'text', body: 'a  b', contentType: 'text/plain' })).toBe(200);
    expect(await status({ key: 'text', body: 'a b', contentType: 'text/plain' })).toBe(422);
    expect(await status({ key: 'broken', body: '{"a":' })).toBe(200);
    expect(await status({ key: 'broken', body: '{"a": ' })).toBe(422);
    const bytes = (last: number): string =>
      Buffer.from([...Buffer.from('{"a":"'), last, ...Buffer.from('"}')]).toString('base64');
    expect(await status({ key: 'bytes', body: bytes(0xfe), isBase64: true })).toBe(200);
    expect(await status({ key: 'bytes', body: bytes(0xff), isBase64: true })).toBe(422);
    expect(await status({ key: 'digits', body: '{"eth":1.000000000000000001}' })).toBe(200);
    expect(await status({ key: 'digits', body: '{"eth":1.000000000000000001}' })).toBe(200);
    expect(await status({ key: 'digits', body: '{"eth":1.000000000000000002}' })).toBe(422);
    expect(await status({ key: 'none', body: null })).toBe(200);
    expect(await status({ key: 'none', body: '' })).toBe(200);
  });

  it('compares queries by their parameters, whatever their order', async () => {
    const handler = idempotent(async () => ({ statusCode: 200, body: '' }));
    const status = async (query: [string, string][]): Promise<number> =>
      ((await handler(event({ key: 'same', query }), lambdaContext())) as Answer).statusCode;
    const a: [string, string] = ['a', '1'];
    const b: [string, string] = ['b', '2'];
    const c: [string, string] = ['b', '3'];
    expect(await status([a, b])).toBe(200);
    expect(await status([b, a])).toBe(200);
    expect(await status([a, c])).toBe(422);
    expect(await status([a])).toBe(422);
  });

  it('refuses a body over the bound, counted in decoded bytes', async () => {
    const handler = idempotent(async () => ({ statusCode: 200, body: '' }), { maxBodyBytes: 6 });
    const status = async (body: string, isBase64 = false): Promise<number> =>
      ((await handler(event({ key: randomUUID(), body, isBase64 }), lambdaContext())) as Answer).statusCode;
    expect(await status('123456')).toBe(200);
    expect(await status('1234567')).toBe(413);
    expect(await status('üüü')).toBe(200);
    expect(await status('üüüü')).toBe(413);
    expect(await status(Buffer.from('123456').toString('base64'), true)).toBe(200);
    expect(await status(Buffer.from('1234567').toString('base64'), true)).toBe(413);
  });

  it('lets a request without a key run where none is required', async () => {
    let runs = 0;
    const handler = idempotent(async () => ({ statusCode: 200, body: String((runs += 1)) }), {
      required: false,
    });
    await handler(event({ key: null }), lambdaContext());
    await handler(event({ key: null, tenant: null }), lambdaContext());
    expect(runs).toBe(2);
  });

  it('finds the key under another name, in any case', async () => {
    let runs = 0;
    const handler = idempotent(async () => ({ statusCode: 200, body: String((runs += 1)) }), {
      header: 'X-Request-Key',
    });
    await handler(event({ key: 'a', keyHeader: 'x-request-key' }), lambdaContext());
    await handler(event({ key: 'a', keyHeader: 'X-REQUEST-KEY' }), lambdaContext());
    expect(runs).toBe(1);
  });
});

describe('withHttpIdempotency', () => {
  it('refuses a header with two values: API Gateway keeps the lines apart', async () => {
    const handler = idempotent(async () => ({ statusCode: 200, body: '' }));
    const event = restEvent({});
    event.multiValueHeaders['Idempotency-Key'] = ['a', 'b'];
    expect(await handler(event, lambdaContext())).toMatchObject({ statusCode: 400 });
  });

  it('claims for as long as the invocation lasts, in the name of the function and request', async () => {
    const store = memoryStore();
    const lambda = lambdaContext({ remainingTimeMs: 20_000 });
    let claim: Awaited<ReturnType<typeof store.inspect>>;
    const handler = idempotent(
      async () => {
        claim = await store.inspect('payments#http-v1:["acme","k"]');
        return { statusCode: 200, body: '' };
      },
      { store },
    );
    await handler(v2Event({ key: 'k' }), lambda);
    expect(claim?.lockedBy).toContain(lambda.awsRequestId);
    const leaseMs = (claim?.leaseUntil ?? 0) - (claim?.createdAt ?? 0);
    expect(leaseMs).toBeGreaterThan(20_500);
    expect(leaseMs).toBeLessThanOrEqual(21_000);
  });

  it('takes what payload 2.0 infers a response from', async () => {
    const handler = idempotent(async () => ({ id: 1 }));
    expect(await handler(v2Event({ key: 'k' }), lambdaContext())).toEqual({ id: 1 });
    expect(await handler(v2Event({ key: 'k' }), lambdaContext())).toMatchObject({
      statusCode: 200,
      body: '{"id":1}',
      headers: { 'content-type': 'application/json' },
    });
  });

  it('rejects with what the handler rejects with, and frees the key', async () => {
    let fails = true;
    const handler = idempotent(async () => {
      if (fails) throw new Error('card processor is away');
      return { statusCode: 201, body: '' };
    });
    await expect(handler(v2Event({ key: 'k' }), lambdaContext())).rejects.toThrow('card processor is away');
    fails = false;
    expect(await handler(v2Event({ key: 'k' }), lambdaContext())).toMatchObject({ statusCode: 201 });
  });

  it.each([[{ Records: [] }], [{}], [undefined], ['GET /']])(
    'refuses %j: that is no HTTP request',
    async (event) => {
      const handler = idempotent(async () => ({ statusCode: 200, body: '' }));
      await expect(handler(event as never, lambdaContext())).rejects.toMatchObject({
        code: 'BATCHLATCH_UNSUPPORTED_EVENT',
      });
    },
  );

  it('parks a key whose last attempt died, where a person is to judge', async () => {
    const leaseMs = 300;
    const store = memoryStore();
    await new Promise<void>((started) => {
      const dying = idempotent(
        () => {
          started();
          return new Promise<Answer>(() => undefined);
        },
        { store, leaseMs }, // long enough to be live when the handler starts, on a busy machine too
      );
      void dying(v2Event({ key: 'k' }), lambdaContext());
    });
    await new Promise((resolve) => {
      setTimeout(resolve, leaseMs + 10);
    });
    const handler = idempotent(async () => ({ statusCode: 200, body: '' }), { store, onLapsedLease: 'park' });
    for (let request = 0; request < 2; request += 1) {
      const answer = (await handler(v2Event({ key: 'k' }), lambdaContext())) as Answer;
      expect(answer.statusCode).toBe(409);
      expect(JSON.parse(answer.body)).toMatchObject({ type: 'urn:problem-type:batchlatch:outcome-unknown' });
      expect(answer.headers?.['retry-after']).toBeUndefined();
    }
  });

  it.each([
    ['no namespace', { namespace: undefined }, /`namespace`/],
    ['no scope', { scope: undefined }, /`scope`/],
    ['another word for scope', { scope: 'shared' }, /'shared-by-all-callers', got `'shared'`/],
    ['no header name', { header: 'a b' }, /`header` to be the name of a header/],
    ['an option of a middleware', { headerKey: 'x' }, /`headerKey`; known options are .*header/],
    ['an unknown option', { require: true }, /known options are .*required/],
  ])('refuses %s at start', (_what, members, message) => {
    expect(() => idempotent(async () => ({ statusCode: 200, body: '' }), members as never)).toThrow(message);
  });
});

interface Answer {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly cookies?: string[];
  readonly body: string;
}

type HttpEvent = APIGatewayProxyEvent | APIGatewayProxyEventV2 | ALBEvent;
type Options = Parameters<typeof withHttpIdempotency<HttpEvent, unknown>>[1];

function idempotent(
  handler: Parameters<typeof withHttpIdempotency<HttpEvent, unknown>>[0],
  options: Partial<Options> = {},
) {
  return withHttpIdempotency<HttpEvent, unknown>(handler, {
    namespace: 'payments',
    scope: tenantOf,
    store: memoryStore(),
    ...options,
  });
}

function tenantOf(event: HttpEvent): string | undefined {
  const lists = 'multiValueHeaders' in event ? event.multiValueHeaders : undefined;
  return event.headers?.['x-tenant'] ?? lists?.['x-tenant']?.[0];
}
