import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEvent, APIGatewayProxyEventV2 } from 'aws-lambda';
import { type ClaimStore, resultsIn, type ResultStorage, StoreError } from 'batchlatch';
import { type HttpIdempotencyOptions, withFetchIdempotency, withHttpIdempotency } from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { lambdaContext, manualClock } from 'batchlatch/testing';
import { memoryResultStorage } from '../support/memory-result-storage.ts';
import { restEvent, v2Event } from './lambda-events.ts';

const circular: Record<string, unknown> = {};
circular['self'] = circular;

/** What a handler answers after its effect, and the status of it that can be read. */
const FETCH_ANSWERS: readonly [what: string, answer: () => unknown, status: number | undefined][] = [
  ['a body that breaks', () => new Response(breaking(), { status: 201 }), 201],
  ['a body that is no bytes', () => new Response(streamOf({ id: 1 }) as never, { status: 201 }), 201],
  ['a body that was read', async () => drained(new Response('read', { status: 201 })), 201],
  ['an answer of no status', () => Response.error(), undefined],
  ['no answer', () => undefined, undefined],
  ['something else', () => ({ id: 1 }), undefined],
  ['a status of words', () => ({ status: 'created', headers: [], body: null }), undefined],
  ['a broken answer', () => throwing('status', {}), undefined],
];

const LAMBDA_ANSWERS: readonly [what: string, answer: () => unknown, status: number | undefined][] = [
  ['an object for a body', () => ({ statusCode: 201, body: { id: 1 } }), 201],
  [
    'lists of headers that are none',
    () => ({ statusCode: 201, multiValueHeaders: { a: 'b' }, body: '' }),
    201,
  ],
  ['cookies that are no list', () => ({ statusCode: 201, cookies: 'a=b', body: '' }), 201],
  ['headers that cannot be read', () => ({ statusCode: 201, headers: { a: { b: 1 } } }), 201],
  ['a getter that throws for a body', () => throwing('body', { statusCode: 201 }), 201],
  ['a getter that throws for headers', () => throwing('headers', { statusCode: 201 }), 201],
  ['a getter that throws for a status', () => throwing('statusCode', {}), undefined],
  ['a status of words', () => ({ statusCode: 'created', body: '' }), undefined],
  ['a status of 99', () => ({ statusCode: 99, body: '' }), undefined],
];

describe('an effect that is done', () => {
  it.each(FETCH_ANSWERS)('is done once, whatever is answered: fetch, %s', async (_what, answer, status) => {
    let effects = 0;
    const handler = overFetch(() => ((effects += 1), answer() as Response));
    await handler(post()).catch(() => undefined);
    for (let retry = 0; retry < 3; retry += 1) {
      const response = await handler(post());
      expect(effects).toBe(1);
      if (status === undefined) await expectProblem(response, 409, 'outcome-unknown');
      else {
        expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([status, 'true']);
        expect(await response.text()).toBe('');
      }
    }
  });

  it.each(LAMBDA_ANSWERS)('is done once, whatever is answered: Lambda, %s', async (_what, answer, status) => {
    for (const event of [restEvent({}), v2Event({})]) {
      let effects = 0;
      const handler = overLambda(async () => ((effects += 1), answer()));
      await handler(event, lambdaContext()).catch(() => undefined);
      for (let retry = 0; retry < 3; retry += 1) {
        const replay = (await handler(event, lambdaContext())) as Answer;
        expect(effects).toBe(1);
        expect(replay.statusCode).toBe(status ?? 409);
        if (status === undefined) expect(replay.body).toContain('batchlatch:outcome-unknown');
        else expect(replay.body).toBe('');
      }
    }
  });

  it.each([
    ['a BigInt', () => ({ id: 1n })],
    ['a cycle', () => circular],
    ['a toJSON that throws', () => ({ toJSON: () => JSON.parse('{') as unknown })],
  ])('is done once although payload 2.0 can infer no body: %s', async (_what, answer) => {
    let effects = 0;
    const handler = overLambda(async () => ((effects += 1), answer()));
    await expect(handler(v2Event({}), lambdaContext())).rejects.toThrow();
    expect(await handler(v2Event({}), lambdaContext())).toMatchObject({ statusCode: 200, body: '' });
    expect(effects).toBe(1);
  });

  it('is done once although the carrier takes its answer for malformed, which its caller gets as it is', async () => {
    let effects = 0;
    const errors: unknown[] = [];
    const handler = overLambda(async () => ({ id: (effects += 1) }), {
      onError: (error) => errors.push(error),
    });
    expect(await handler(restEvent({}), lambdaContext())).toEqual({ id: 1 });
    expect(await handler(restEvent({}), lambdaContext())).toMatchObject({ statusCode: 409 });
    expect(effects).toBe(1);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_RESPONSE_UNREADABLE' }]);
  });

  it.each([undefined, null])('gives %p to the caller as it is, and tells `onError`', async (answer) => {
    const errors: unknown[] = [];
    const handler = overFetch(() => answer as never, { onError: (error) => errors.push(error) });
    expect(await handler(post())).toBe(answer);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_RESPONSE_UNREADABLE' }]);
    expect(errors[0]).not.toHaveProperty('cause');
  });

  it('gives the error of reading its answer to the caller of that try, and tells `onError`', async () => {
    const errors: unknown[] = [];
    const handler = overFetch(() => new Response(breaking(), { status: 201 }), {
      onError: (error) => errors.push(error),
    });
    await expect(handler(post())).rejects.toThrow('broken');
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_RESPONSE_UNREADABLE', cause: { message: 'broken' } }]);
  });

  it('keeps the headers that can be read, but for those of the body', async () => {
    const headers = {
      location: '/payments/1',
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    };
    const handler = overFetch(() => new Response(breaking(), { status: 201, headers }));
    await handler(post()).catch(() => undefined);
    const replay = await handler(post());
    expect(Object.fromEntries(replay.headers)).toEqual({
      location: '/payments/1',
      'idempotency-replayed': 'true',
    });
  });

  it.each([500, 429, 401])('is not taken from a %d, however long or broken its body is', async (status) => {
    for (const body of [() => 'x'.repeat(100), breaking]) {
      let effects = 0;
      const fetched = overFetch(() => ((effects += 1), new Response(body(), { status })), {
        maxResponseBytes: 50,
      });
      await fetched(post()).catch(() => undefined);
      await fetched(post()).catch(() => undefined);
      expect(effects).toBe(2);
    }
    let effects = 0;
    const invoked = overLambda(async () => ((effects += 1), { statusCode: status, body: { not: 'text' } }));
    await invoked(v2Event({}), lambdaContext());
    await invoked(v2Event({}), lambdaContext());
    expect(effects).toBe(2);
  });

  it('is done once where the row has no room for its response, and the store has not said so', async () => {
    const memory = memoryStore();
    const error = new StoreError('too large', { isRetryable: false, code: 'BATCHLATCH_ITEM_TOO_LARGE' });
    const store: ClaimStore = {
      ...memory,
      settle: async (all) => (all[0]?.end === 'complete' ? [{ error }] : memory.settle(all)),
    };
    let effects = 0;
    const handler = overFetch(() => new Response(String((effects += 1))), { store });
    expect(await (await handler(post())).text()).toBe('1');
    await expectProblem(await handler(post()), 410, 'response-not-kept');
    expect(effects).toBe(1);
  });
});

describe('what a client is told when something is away', () => {
  it('says that the request was carried out when only its long response cannot be read now', async () => {
    const { storage } = memoryResultStorage({ thresholdBytes: 10 });
    let isAway = true;
    const get: ResultStorage['get'] = async (pointer) => {
      if (isAway) throw new Error('slow down');
      return storage.get(pointer);
    };
    let effects = 0;
    const handler = overFetch(() => new Response(`charged ${(effects += 1)}`), {
      store: resultsIn({ ...storage, get }, memoryStore()),
      onError: () => undefined,
    });
    await handler(post());
    const away = await handler(post());
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
    const { detail } = await expectProblem(away, 503, 'response-unavailable');
    expect(detail).toMatch(/was carried out/);
    isAway = false;
    expect(await (await handler(post())).text()).toBe('charged 1');
    expect(effects).toBe(1);
  });

  it('is 410 when the long response is gone for good', async () => {
    const { storage } = memoryResultStorage({ thresholdBytes: 10 });
    const gone = new StoreError('gone', { isRetryable: false, code: 'BATCHLATCH_RESULT_UNAVAILABLE' });
    const handler = overFetch(() => new Response('charged'), {
      store: resultsIn({ ...storage, get: () => Promise.reject(gone) }, memoryStore()),
      onError: () => undefined,
    });
    await handler(post());
    await expectProblem(await handler(post()), 410, 'response-not-kept');
  });

  it('is 410 when the responses of long ago lie in a storage that is no longer configured', async () => {
    const store = memoryStore();
    const { storage } = memoryResultStorage({ thresholdBytes: 10 });
    await overFetch(() => new Response('charged'), { store: resultsIn(storage, store) })(post());
    const errors: unknown[] = [];
    const handler = overFetch(() => new Response('again'), { store, onError: (error) => errors.push(error) });
    await expectProblem(await handler(post()), 410, 'response-not-kept');
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_RESULT_UNAVAILABLE' }]);
  });

  it('is 410 for a stored text that is no response', async () => {
    const store = memoryStore();
    for (const [index, result] of ['nonsense', '1', '{"status":"201"}', 'null'].entries()) {
      const key = `k${index}`;
      const claim = {
        key: `payments#http-v1:["acme","${key}"]`,
        owner: 'o',
        leaseMs: 1_000,
        retentionMs: 60_000,
      };
      await store.acquire([claim]);
      await store.settle([{ ...claim, end: 'complete', result }]);
      const handler = overFetch(() => new Response('again'), { store });
      await expectProblem(await handler(post({ 'idempotency-key': key })), 410, 'response-not-kept');
    }
  });

  it('does not say that nothing was carried out when the answer of the store is lost: that is not known', async () => {
    const memory = memoryStore();
    let isLossy = false;
    const store: ClaimStore = {
      ...memory,
      async acquire(requests) {
        const outcomes = await memory.acquire(requests);
        if (isLossy) throw new StoreError('connection reset', { isRetryable: true });
        return outcomes;
      },
    };
    let effects = 0;
    const handler = overFetch(() => new Response(String((effects += 1))), {
      store,
      onError: () => undefined,
    });
    await handler(post());
    isLossy = true;
    const { detail } = await expectProblem(await handler(post()), 503, 'store-unavailable');
    expect(detail).toMatch(/Whether an earlier request with this key was carried out is not known/);
    expect(detail).not.toMatch(/^The request was not carried out/);
  });

  it.each([0, -100])('says that nothing was run where %d ms are left', async (remainingTimeMs) => {
    let effects = 0;
    const handler = overLambda(async () => ({ statusCode: 201, body: String((effects += 1)) }));
    const lambda = { ...lambdaContext(), getRemainingTimeInMillis: () => remainingTimeMs };
    const answer = (await handler(v2Event({}), lambda)) as Answer;
    expect(answer).toMatchObject({ statusCode: 503, headers: { 'retry-after': '1' } });
    expect(JSON.parse(answer.body)).toMatchObject({
      type: 'urn:problem-type:batchlatch:not-started',
      detail: expect.stringMatching(/[Nn]othing was run/),
    });
    expect(effects).toBe(0);
    expect(await handler(v2Event({}), lambdaContext())).toMatchObject({ statusCode: 201, body: '1' });
  });

  it('counts what the scope takes of the time', async () => {
    const clock = manualClock();
    let effects = 0;
    const handler = overLambda(async () => ({ statusCode: 201, body: String((effects += 1)) }), {
      clock,
      store: memoryStore({ clock }),
      async scope() {
        await clock.advance(30_000);
        return 'acme';
      },
    });
    expect(await handler(v2Event({}), lambdaContext({ clock }))).toMatchObject({ statusCode: 503 });
    expect(effects).toBe(0);
  });

  it('says that nothing was run, and names no other request, when the claim came too late', async () => {
    const clock = manualClock();
    const memory = memoryStore({ clock });
    const store: ClaimStore = {
      ...memory,
      async acquire(requests) {
        const outcomes = await memory.acquire(requests);
        await clock.advance(19_000);
        return outcomes;
      },
      extend: async () => [{ error: new StoreError('away', { isRetryable: false }) }],
    };
    const handler = overFetch(() => new Response('never'), { store, clock, leaseMs: 20_000 });
    const response = await handler(post());
    expect(response.headers.get('retry-after')).toBe('1');
    await expectProblem(response, 503, 'not-started');
  });
});

interface Answer {
  readonly statusCode: number;
  readonly headers?: Record<string, string>;
  readonly body: string;
}

interface Problem {
  readonly type: string;
  readonly status: number;
  readonly detail: string;
}

async function expectProblem(response: Response, status: number, name: string): Promise<Problem> {
  const problem = (await response.json()) as Problem;
  expect([response.status, problem.type]).toEqual([status, `urn:problem-type:batchlatch:${name}`]);
  return problem;
}

function overFetch(
  handler: () => Response | Promise<Response>,
  options: Partial<HttpIdempotencyOptions<Request>> = {},
) {
  return withFetchIdempotency(handler, {
    namespace: 'payments',
    scope: () => 'acme',
    store: memoryStore(),
    onError: () => undefined,
    ...options,
  });
}

type Event = APIGatewayProxyEvent | APIGatewayProxyEventV2;

function overLambda(handler: () => Promise<unknown>, options: Partial<HttpIdempotencyOptions<Event>> = {}) {
  return withHttpIdempotency<Event, unknown>(handler, {
    namespace: 'payments',
    scope: () => 'acme',
    store: memoryStore(),
    onError: () => undefined,
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

function breaking(): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error(new Error('broken')) });
}

function streamOf(chunk: unknown): ReadableStream {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(chunk);
      controller.close();
    },
  });
}

async function drained(response: Response): Promise<Response> {
  await response.text();
  return response;
}

function throwing(name: string, members: object): object {
  return Object.defineProperty({ ...members }, name, {
    enumerable: true,
    get() {
      throw new Error('a getter that throws');
    },
  });
}
