import { randomUUID } from 'node:crypto';
import { serve } from '@hono/node-server';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClaimStore, StoreError, waitForOwner } from 'batchlatch';
import { dynamoDBStore } from 'batchlatch/dynamodb';
import { type HttpIdempotencyOptions, withFetchIdempotency } from 'batchlatch/http';
import { Hono } from 'hono';
import { gate, type Gate } from '../functions/gate.ts';
import { emulatedTable } from '../support/emulated-table.ts';

/**
 * A real server, real connections and, as on Lambda, two machines: two servers on one table, each with a client of
 * its own, so that only the table can keep them apart.
 */
const table = emulatedTable('dynoxide');
const payments = paymentsApi();

interface Payment {
  readonly amountCents: number;
}

beforeAll(payments.start);
afterAll(payments.stop);

describe('H1: the same key at the same time', () => {
  it('is 409 with Retry-After, and the slow original is replayed later', async () => {
    const running = gate();
    const send = payments.client({ during: running });
    const original = send({ server: 0 });
    await running.entered;

    const repeated = await Promise.all([0, 1, 0, 1, 0].map((server) => send({ server })));
    for (const response of repeated) {
      expect(response.status).toBe(409);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      const retryAfter = Number(response.headers.get('retry-after'));
      expect(retryAfter).toBeGreaterThan(50);
      expect(retryAfter).toBeLessThanOrEqual(60);
      expect(await response.json()).toMatchObject({
        type: 'urn:problem-type:batchlatch:in-progress',
        title: 'A request is outstanding for this Idempotency-Key',
        status: 409,
      });
    }

    running.open();
    const answer = await original;
    expect([answer.status, answer.headers.get('idempotency-replayed')]).toEqual([201, null]);
    const body = await answer.text();
    for (const server of [0, 1]) {
      const replay = await send({ server });
      expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
      expect(await replay.text()).toBe(body);
      expect(answer.headers.getSetCookie()).toEqual(['session=1; Path=/']);
      expect(replay.headers.getSetCookie()).toEqual([]);
      expect(replay.headers.get('location')).toBe(answer.headers.get('location'));
      expect(replay.headers.get('content-type')).toBe(answer.headers.get('content-type'));
    }
    expect(send.charges()).toBe(1);
  });

  it('gives one of 40 racing requests to the handler, whatever form their keys have', async () => {
    const running = gate();
    const send = payments.client({ during: running });
    const racing = Array.from({ length: 40 }, (_, index) =>
      send({ server: index % 2, key: index % 3 === 0 ? send.key : `"${send.key}"` }),
    );
    await running.entered;
    setTimeout(running.open, 200);
    const statuses = (await Promise.all(racing)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(statuses).toContain(201);
    expect(send.charges()).toBe(1);
  });

  it('waits for the original where it may', async () => {
    const running = gate();
    const send = payments.client({ during: running, waits: true });
    const racing = Array.from({ length: 10 }, (_, index) => send({ server: index % 2 }));
    await running.entered;
    running.open();
    const bodies = await Promise.all((await Promise.all(racing)).map((response) => response.text()));
    expect(new Set(bodies).size).toBe(1);
    expect(send.charges()).toBe(1);
  });
});

describe('H2: what a key may come with', () => {
  it.each([
    ['another body', { payment: { amountCents: 2 } }],
    ['another path', { path: '/refunds' }],
    ['another query', { query: '?currency=EUR' }],
    ['another method', { method: 'PUT' }],
  ])('is 422 with %s, while the original runs and after', async (_what, other) => {
    const running = gate();
    const send = payments.client({ during: running });
    const original = send({});
    await running.entered;
    expect((await send({ server: 1, ...other })).status).toBe(422);
    running.open();
    expect((await original).status).toBe(201);
    const refused = await send({ server: 1, ...other });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      type: 'urn:problem-type:batchlatch:key-reused',
      title: 'Idempotency-Key is already used',
    });
    expect((await send({})).headers.get('idempotency-replayed')).toBe('true');
    expect(send.charges()).toBe(1);
  });

  it('is the same request with the members of its body in another order', async () => {
    const send = payments.client();
    await send({ rawBody: '{"amountCents":1,"note":"a"}' });
    const replay = await send({ rawBody: '{ "note": "a",  "amountCents": 1.0 }' });
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  });

  it('is 400 without a key where one is required, and nothing runs', async () => {
    const send = payments.client();
    const response = await send({ key: null });
    expect(response.status).toBe(400);
    expect(response.headers.get('link')).toContain('draft-ietf-httpapi-idempotency-key-header');
    expect(await response.json()).toMatchObject({
      type: 'urn:problem-type:batchlatch:key-missing',
      title: 'Idempotency-Key is missing',
      status: 400,
    });
    expect(send.charges()).toBe(0);
  });

  it('is 400 with two different keys, and fine with one key twice', async () => {
    const send = payments.client();
    expect((await send({ key: `${send.key}, other` })).status).toBe(400);
    expect((await send({ key: `${send.key}, "${send.key}"` })).status).toBe(201);
  });
});

describe('H3: the key of somebody else', () => {
  it('is another key: two tenants never get each other’s responses', async () => {
    const send = payments.client();
    const [mine, theirs] = [await send({ tenant: 'acme' }), await send({ tenant: 'globex', server: 1 })];
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.headers.get('idempotency-replayed')).toBeNull();
    expect(await theirs.json()).toMatchObject({ tenant: 'globex' });
    expect(send.charges()).toBe(2);
  });

  it('cannot be had by a tenant whose name runs into the key', async () => {
    const send = payments.client();
    await send({ tenant: 'acme', key: 'x-1' });
    const other = await send({ tenant: 'acme"', key: '"x-1"' });
    expect(other.headers.get('idempotency-replayed')).toBeNull();
  });

  it('is 403 without a tenant: nobody shares an anonymous key', async () => {
    const send = payments.client();
    for (const tenant of [null, '']) {
      const response = await send({ tenant });
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ type: 'urn:problem-type:batchlatch:caller-unknown' });
    }
    expect(send.charges()).toBe(0);
  });

  it('needs a decision at start', () => {
    const options = { namespace: 'payments', store: storeOf() } as unknown as HttpIdempotencyOptions<Request>;
    expect(() => withFetchIdempotency(() => new Response(), options)).toThrow(
      /Expected `scope` to be a function, or 'shared-by-all-callers', got `undefined`/,
    );
  });
});

describe('H4: a handler that fails', () => {
  it('does not leave the key in progress when it throws', async () => {
    const send = payments.client({ fails: ['throw'] });
    expect((await send({})).status).toBe(500);
    const again = await send({ server: 1 });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null]);
  });

  it.each([500, 503, 401, 403, 408, 425, 429])(
    'is not the answer to the key when it answers %d',
    async (status) => {
      const send = payments.client({ fails: [status] });
      expect((await send({})).status).toBe(status);
      const again = await send({ server: 1 });
      expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, null]);
    },
  );

  it.each([400, 402, 404, 409, 422])('is the answer to the key when it answers %d', async (status) => {
    const send = payments.client({ fails: [status] });
    expect((await send({})).status).toBe(status);
    const again = await send({ server: 1 });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([status, 'true']);
  });

  it('is 503 with Retry-After, and does not run, when the store is away', async () => {
    const send = payments.client({ outage: true });
    const response = await send({});
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(send.charges()).toBe(0);
  });
});

describe('H5: sizes', () => {
  it('are bounded before anything is hashed: 413', async () => {
    const send = payments.client();
    const response = await send({ rawBody: JSON.stringify({ amountCents: 1, note: 'x'.repeat(20_000) }) });
    expect(response.status).toBe(413);
    expect(send.charges()).toBe(0);
  });

  it('are bounded without a Content-Length too', async () => {
    const send = payments.client();
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000).fill(0x20)),
    });
    const response = await send({ rawBody: endless }).catch((error: unknown) => error);
    // The server answers before all is sent; a client may see the answer, or only that nobody reads on.
    if (response instanceof Response) expect(response.status).toBe(413);
    expect(send.charges()).toBe(0);
  });

  it('of a response too large to keep: the first client gets it, the next learns that it was done', async () => {
    const send = payments.client({ responseBytes: 50_000 });
    const first = await send({});
    expect([first.status, (await first.text()).length]).toEqual([201, 50_000]);
    const again = await send({ server: 1 });
    expect(again.status).toBe(410);
    expect(await again.json()).toMatchObject({ type: 'urn:problem-type:batchlatch:response-not-kept' });
    expect(send.charges()).toBe(1);
  });

  it('of a key are bounded: 400', async () => {
    const send = payments.client();
    expect((await send({ key: 'k'.repeat(256) })).status).toBe(400);
    expect((await send({ key: `${send.key}${'k'.repeat(255 - send.key.length)}` })).status).toBe(201);
  });
});

function storeOf(): ClaimStore {
  return dynamoDBStore({ tableName: table.tableName, client: table.newClient() });
}

interface Behaviour {
  readonly during?: Gate;
  readonly waits?: boolean;
  readonly fails?: (number | 'throw')[];
  readonly outage?: boolean;
  readonly responseBytes?: number;
}

interface Sent {
  readonly server?: number;
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly tenant?: string | null;
  readonly key?: string | null;
  readonly payment?: Payment;
  readonly rawBody?: string | ReadableStream<Uint8Array>;
}

function paymentsApi() {
  const behaviours = new Map<string, Behaviour>();
  const charges = new Map<string, number>();
  const stops: (() => Promise<void>)[] = [];
  const origins: string[] = [];

  /** What the handler does is chosen by the test, which says its name in a header. */
  async function pay(request: Request): Promise<Response> {
    const test = request.headers.get('x-test') ?? '';
    charges.set(test, (charges.get(test) ?? 0) + 1);
    const { during, fails, responseBytes } = behaviours.get(test) ?? {};
    await during?.pass();
    const failure = fails?.shift();
    if (failure === 'throw') throw new Error('card processor is away');
    if (failure !== undefined) return Response.json({ error: failure }, { status: failure });
    if (responseBytes !== undefined) return new Response('x'.repeat(responseBytes), { status: 201 });
    const payment = (await request.json()) as Payment;
    const id = randomUUID();
    const headers = new Headers({ location: `/payments/${id}` });
    headers.append('set-cookie', 'session=1; Path=/');
    return Response.json(
      { id, ...payment, tenant: request.headers.get('x-tenant') },
      { status: 201, headers },
    );
  }

  function app(): Hono {
    const options = {
      namespace: 'payments',
      scope: (request: Request) => request.headers.get('x-tenant'),
      maxBodyBytes: 10_000,
      maxResponseBytes: 10_000,
      onError: () => undefined,
    };
    const store = storeOf();
    const error = new StoreError('away', { isRetryable: true });
    const kinds = {
      usual: withFetchIdempotency(pay, { ...options, store }),
      waiting: withFetchIdempotency(pay, {
        ...options,
        store,
        onConflict: waitForOwner({ timeoutMs: 20_000 }),
      }),
      outage: withFetchIdempotency(pay, {
        ...options,
        store: { ...store, acquire: async () => [{ status: 'error' as const, error }] },
      }),
    };
    return new Hono()
      .onError((_error, c) => c.text('failed', 500))
      .all('*', (c) => {
        const { waits, outage } = behaviours.get(c.req.header('x-test') ?? '') ?? {};
        if (outage === true) return kinds.outage(c.req.raw);
        return waits === true ? kinds.waiting(c.req.raw) : kinds.usual(c.req.raw);
      });
  }

  async function start(): Promise<void> {
    for (const _server of [0, 1]) {
      const { fetch } = app();
      await new Promise<void>((resolve) => {
        const server = serve({ fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
          origins.push(`http://127.0.0.1:${port}`);
          resolve();
        });
        stops.push(
          () =>
            new Promise((done) => {
              if ('closeAllConnections' in server) server.closeAllConnections();
              server.close(() => done());
            }),
        );
      });
    }
  }

  function client(behaviour: Behaviour = {}) {
    const test = randomUUID();
    const ownKey = randomUUID();
    behaviours.set(test, behaviour);
    const send = (sent: Sent): Promise<Response> => {
      const {
        server = 0,
        method = 'POST',
        path = '/payments',
        query = '',
        tenant = 'acme',
        key = ownKey,
      } = sent;
      const { payment = { amountCents: 1 }, rawBody = JSON.stringify(payment) } = sent;
      const headers = new Headers({ 'x-test': test, 'content-type': 'application/json' });
      if (tenant !== null) headers.set('x-tenant', tenant);
      if (key !== null) headers.set('idempotency-key', key);
      const duplex = { duplex: 'half' } as RequestInit;
      return fetch(`${origins[server]}${path}${query}`, { method, headers, body: rawBody, ...duplex });
    };
    return Object.assign(send, { key: ownKey, charges: () => charges.get(test) ?? 0 });
  }

  return {
    start,
    client,
    stop: async (): Promise<void> => {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
