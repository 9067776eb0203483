import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, it } from '@jest/globals';
import {
  type CallContext,
  withFetchIdempotency,
  withFetchIdempotencyContext,
  withHttpIdempotencyContext,
} from 'batchlatch/http';
import { memoryStore } from 'batchlatch/memory';
import { inTransaction } from 'batchlatch/postgres';
import { lambdaContext } from 'batchlatch/testing';

interface Client {
  readonly insert: () => number;
}

function database() {
  let rows = 0;
  const client: Client = { insert: () => (rows += 1) };
  const store = memoryStore({ transactionClient: client });
  return { store, rows: () => rows };
}

const request = (
  method = 'POST',
  headers: Record<string, string> = { 'idempotency-key': 'key-0001' },
): Request => new Request('https://api.test/payments', { method, headers });

function event(): APIGatewayProxyEventV2 {
  return {
    version: '2.0',
    rawPath: '/payments',
    rawQueryString: '',
    headers: { 'idempotency-key': 'key-0001' },
    requestContext: { http: { method: 'POST', path: '/payments' } },
    isBase64Encoded: false,
  } as unknown as APIGatewayProxyEventV2;
}

describe('an HTTP handler that commits its effect with its response', () => {
  it('answers with the response that was committed, and repeats it, whatever it returns', async () => {
    const { store, rows } = database();
    const post = withFetchIdempotencyContext(
      (context) => async () => {
        await inTransaction(context, async (client: Client) =>
          Response.json({ payment: client.insert() }, { status: 201 }),
        );
        return new Response('something else', { status: 200 });
      },
      { store, namespace: 'payments', scope: () => 'caller' },
    );
    const first = await post(request());
    expect([first.status, await first.json()]).toEqual([201, { payment: 1 }]);
    const second = await post(request());
    expect([second.status, await second.json()]).toEqual([201, { payment: 1 }]);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(rows()).toBe(1);
  });

  it('does so in Lambda', async () => {
    const { store, rows } = database();
    const handler = withHttpIdempotencyContext(
      (context) => async (): Promise<unknown> =>
        inTransaction(context, async (client: Client) => ({
          statusCode: 201,
          body: JSON.stringify({ payment: client.insert() }),
        })),
      { store, namespace: 'payments', scope: () => 'caller' },
    );
    expect(await handler(event(), lambdaContext())).toMatchObject({ statusCode: 201, body: '{"payment":1}' });
    expect(await handler(event(), lambdaContext())).toMatchObject({ statusCode: 201, body: '{"payment":1}' });
    expect(rows()).toBe(1);
  });

  it('replays what was committed after it has thrown', async () => {
    const { store } = database();
    const post = withFetchIdempotencyContext(
      (context) => async (): Promise<Response> => {
        await inTransaction(context, async () => new Response('done', { status: 201 }));
        throw new Error('afterwards');
      },
      { store, namespace: 'payments', scope: () => 'caller' },
    );
    await expect(post(request())).rejects.toThrow('afterwards');
    const again = await post(request());
    expect([again.status, await again.text()]).toEqual([201, 'done']);
  });

  it.each<[string, () => unknown, string]>([
    ['no response', () => ({ payment: 1 }), 'it is not an HTTP response'],
    ['nothing', () => undefined, 'it is not an HTTP response'],
    ['a response that is not kept', () => new Response('', { status: 503 }), 'it answered 503'],
    ['a response that was read', () => read(new Response('read', { status: 201 })), 'cannot be read'],
    ['a response that is too long', () => new Response('x'.repeat(2_000)), 'too large to keep'],
  ])('commits nothing where the result is %s', async (_what, result, message) => {
    const { store } = database();
    const errors: Error[] = [];
    const post = withFetchIdempotencyContext(
      (context) => async () => {
        await inTransaction(context, async () => result()).catch((error: Error) => errors.push(error));
        return new Response('sorry', { status: 500 });
      },
      { store, namespace: 'payments', scope: () => 'caller', maxResponseBytes: 1_000 },
    );
    expect((await post(request())).status).toBe(500);
    expect(errors).toMatchObject([{ code: 'BATCHLATCH_COMMIT_RESULT' }]);
    expect(errors[0]?.message).toContain(message);
  });

  it.each([
    ['is safe', request('GET')],
    ['has no key, which is not required', request('POST', {})],
  ])('has no context for a request that %s', async (_what, given) => {
    const { store } = database();
    const contexts: (CallContext | undefined)[] = [];
    const handle = withFetchIdempotencyContext(
      (context) => async () => {
        contexts.push(context);
        return new Response('');
      },
      { store, namespace: 'payments', scope: () => 'caller', required: false },
    );
    await handle(given);
    expect(contexts).toEqual([undefined]);
  });

  it('has to be a function, at start', () => {
    const options = { store: memoryStore(), namespace: 'n', scope: () => 'caller' };
    expect(() => withFetchIdempotency(7 as never, options)).toThrow('Expected the handler to be a function');
  });
});

async function read(response: Response): Promise<Response> {
  await response.text();
  return response;
}
