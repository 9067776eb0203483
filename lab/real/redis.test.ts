import { closeRedis } from '../../test/support/close-redis.ts';
import { inRedis, itself, redisByClock } from '../../test/support/store-and-admin.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createBatchProcessor } from 'batchlatch';
import { lambdaContext, sqsEvent } from 'batchlatch/testing';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import type { Claim } from '../../src/claims/claim.ts';
import type { ClaimRequest } from '../../src/claims/claim-store.ts';
import type { RedisClient } from '../../src/stores/redis/redis-client.ts';
import { redisStoreBy } from '../../src/stores/redis/redis-store.ts';
import { describeClaimStore } from '../../src/testing/index.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis, type RedisService, startRedis } from '../../test/support/components/redis.ts';
import { rowsOfRedis } from '../../test/support/rows-of-redis.ts';

describeWith([redis], 'on Redis', () => {
  let server: RedisService;
  let ioredis: Redis;
  let prefixed: Redis;
  let nodeRedis: RedisClient & { destroy(): unknown };
  beforeAll(async () => {
    server = await startRedis();
    ioredis = new Redis(server.endpoint);
    prefixed = new Redis(server.endpoint, { keyPrefix: 'shop*:', stringNumbers: true });
    nodeRedis = await createClient({ url: server.endpoint }).connect();
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    for (const client of [ioredis, prefixed]) await closeRedis(client);
    nodeRedis.destroy();
    await server.stop();
  });

  describeClaimStore({
    name: 'redisStore on ioredis',
    admin: itself,
    create: (clock) => redisByClock({ client: ioredis }, clock),
    rows: rowsOfRedis(
      () =>
        async ([command = '', ...args]) =>
          ioredis.call(command, ...args),
    ),
  });
  describeClaimStore({
    name: 'redisStore on node-redis, in slots',
    admin: itself,
    create: (clock) => redisByClock({ client: nodeRedis, slots: 4 }, clock),
    rows: rowsOfRedis(
      () =>
        async ([command = '', ...args]) =>
          ioredis.call(command, ...args),
      4,
    ),
  });
  describeClaimStore({
    name: 'redisStore on an ioredis with a prefix of its own',
    admin: itself,
    create: (clock) => redisByClock({ client: prefixed, slots: 2 }, clock),
  });

  const clients = (): readonly RedisClient[] => [ioredis, nodeRedis];

  it('is one call to acquire a batch, and one to settle it, also where all of it is done', async () => {
    for (const client of clients()) {
      const calls = await counted(client, async (counting) => {
        const store = inRedis({ client: counting, prefix: `${randomUUID()}:` });
        const requests = Array.from({ length: 100 }, (_, index) => requestOf(`key-${index}`));
        const settlements = requests.map(({ key, owner }) => completion(key, owner));
        await store.acquire(requests.slice(0, 1)); // once for each process: looks for a policy of eviction
        return [
          () => store.acquire(requests),
          () => store.settle(settlements),
          () => store.acquire(requests.map(({ key }) => requestOf(key))),
          () => store.acquire(requests.map(({ key }) => ({ ...requestOf(key), isRedelivery: true }))),
          () => store.settle(settlements),
        ];
      });
      expect(calls).toEqual([1, 1, 1, 1, 1]);
    }
  });

  it('decides by the time of the server, whatever the clock of this machine says', async () => {
    for (const ahead of [-3_600_000, 3_600_000]) {
      const clock = { now: () => Date.now() + ahead };
      const mine = redisStoreBy({ client: ioredis, prefix: `${randomUUID()}:` }, { clock });
      const askedAt = clock.now();
      const [outcome] = await mine.acquire([{ ...requestOf('key'), leaseMs: 1_000 }]);
      expect(outcome).toMatchObject({ status: 'acquired' });
      const { leaseUntil } = outcome as { leaseUntil: number };
      expect(leaseUntil).toBeGreaterThanOrEqual(askedAt + 1_000);
      expect(leaseUntil).toBeLessThanOrEqual(clock.now() + 1_000);
      const [refused] = await mine.acquire([requestOf('key')]);
      expect(refused).toMatchObject({ status: 'conflict' });
      expect(Math.abs((refused as { leaseUntil: number }).leaseUntil - leaseUntil)).toBeLessThan(500);
      await delay(1_050);
      expect(await mine.acquire([requestOf('key')])).toMatchObject([{ status: 'acquired', tookOver: true }]);
      const claim = await mine.inspect('key');
      expect(Math.abs((claim?.createdAt ?? 0) - Date.now())).toBeLessThan(5_000);
      expect(claim?.createdAt).toBeLessThanOrEqual((claim?.claimedAt ?? 0) - 1_000);
    }
  });

  it('does nothing for a call that arrives when nobody waits for it any more', async () => {
    let behind = 0;
    const clock = { now: () => Date.now() - behind };
    // As one that its client has kept for so long, because the connection was lost.
    const client = asClient(ioredis, () => (behind = 0));
    const store = redisStoreBy({ client }, { clock });
    expect(await store.acquire([requestOf(randomUUID())])).toMatchObject([{ status: 'acquired' }]);
    const late = requestOf(randomUUID());
    behind = 31_000;
    expect(await store.acquire([late])).toMatchObject([
      {
        status: 'error',
        error: { isRetryable: true, message: expect.stringContaining('nothing was written') },
      },
    ]);
    expect(await store.inspect(late.key)).toBeUndefined();
    await store.acquire([late]);
    behind = 31_000;
    expect(await store.extend([late])).toMatchObject([{ error: { isRetryable: true } }]);
    behind = 31_000;
    expect(await store.settle([completion(late.key, late.owner)])).toEqual(['stored']);
  });

  it('leaves forgotten rows to the server, which deletes them by itself', async () => {
    const prefix = `${randomUUID()}:`;
    const store = inRedis({ client: ioredis, prefix, clockToleranceMs: 300 });
    const request = { ...requestOf('short'), leaseMs: 100, retentionMs: 200 };
    await store.acquire([request]);
    const key = `${prefix}short`;
    const lasts = await ioredis.pttl(key);
    expect(lasts).toBeGreaterThan(400);
    expect(lasts).toBeLessThanOrEqual(600);
    await store.settle([completion('short', request.owner)]);
    expect(await ioredis.pttl(key)).toBeGreaterThan(59_000);
    const brief = { ...requestOf('brief'), leaseMs: 50, retentionMs: 50 };
    await store.acquire([brief]);
    await delay(500);
    expect(await ioredis.exists(`${prefix}brief`)).toBe(0);
  });

  it('keeps keys apart whatever is in them, and fails for the one that Redis would change', async () => {
    const keys = [
      '\0',
      'a\0b',
      'a\nb\r\n',
      '{1}',
      '}{',
      '*',
      'a*',
      '[a-z]',
      '\\',
      'é',
      'e\u0301',
      '😀',
      ' ',
      '$5\r\nhello',
      'x'.repeat(200_000),
    ];
    for (const slots of [undefined, 3]) {
      const prefix = `${randomUUID()}?:`;
      const store = inRedis({ client: nodeRedis, prefix, ...(slots !== undefined && { slots }) });
      const requests = [...keys, '\ud800'].map(requestOf);
      const outcomes = await store.acquire(requests);
      expect(outcomes.slice(0, -1).map(({ status }) => status)).toEqual(keys.map(() => 'acquired'));
      expect(outcomes.at(-1)).toMatchObject({ status: 'error', error: { code: 'BATCHLATCH_KEY' } });
      for (const key of keys) expect(await store.inspect(key)).toMatchObject({ key, attempt: 1 });
      const { claims } = await store.list({ limit: 1_000 });
      expect(claims.map(({ key }) => key).sort()).toEqual(keys.toSorted());
      const ofStar = await store.list({ keyPrefix: 'a*' });
      expect(ofStar.claims.map(({ key }) => key)).toEqual(['a*']);
    }
  });

  it('stores whatever texts a claim has', async () => {
    const store = inRedis({ client: ioredis });
    const key = randomUUID();
    const request = { ...requestOf(key), lockedBy: 'a\ud800\0b', recordId: '\udfff', payloadHash: '' };
    expect(await store.acquire([request])).toMatchObject([{ status: 'acquired' }]);
    const result = `"${'é'.repeat(400_000)}\\ud800"`;
    const settled = { ...completion(key, request.owner), result };
    expect(await store.settle([settled])).toEqual(['stored']);
    expect(await store.acquire([requestOf(key)])).toMatchObject([{ status: 'duplicate', result }]);
  });

  it("does not let another program's keys stop what people do with claims", async () => {
    const prefix = `${randomUUID()}:`;
    const store = inRedis({ client: ioredis, prefix });
    await ioredis.set(`${prefix}text`, 'no hash');
    await ioredis.set(prefix, 'no hash');
    const request = requestOf('mine');
    await store.acquire([request]);
    expect(await store.list({})).toMatchObject({ claims: [{ key: 'mine' }], unreadable: 2 });
    const claim = await store.read('mine');
    const copies = ['text', 'other'].map((key) => ({ ...(claim as Claim), key }));
    expect(await store.adopt?.(copies)).toMatchObject([
      { error: { code: 'BATCHLATCH_NOT_A_CLAIM' } },
      'stored',
    ]);
  });

  it('does not let rows of others stop a batch', async () => {
    const prefix = `${randomUUID()}:`;
    const store = inRedis({ client: ioredis, prefix });
    await ioredis.set(`${prefix}text`, 'no hash');
    await ioredis.hset(`${prefix}hash`, 'no', 'claim');
    const outcomes = await store.acquire(['text', 'hash', 'mine'].map(requestOf));
    expect(outcomes).toMatchObject([
      { error: { code: 'BATCHLATCH_NOT_A_CLAIM' } },
      { error: { code: 'BATCHLATCH_NOT_A_CLAIM' } },
      { status: 'acquired' },
    ]);
    expect(await store.settle([completion('text', 'x'), completion('hash', 'x')])).toMatchObject([
      { error: { code: 'BATCHLATCH_NOT_A_CLAIM' } },
      'lost',
    ]);
    const broken = requestOf('broken');
    const sound = requestOf('sound');
    await store.acquire([broken, sound]);
    await ioredis.hset(`${prefix}broken`, 'leaseUntil', 'soon');
    expect(await store.extend([broken, sound])).toEqual(['stored', 'stored']);
    await ioredis.del(`${prefix}broken`, `${prefix}sound`);
    const { claims, unreadable } = await store.list({});
    expect(claims.map(({ key }) => key)).toEqual(['mine']);
    expect(unreadable).toBe(2);
  });

  describe.each([{}, { slots: 4 }])('with %p', (options) => {
    it('does the work of 50 keys once, when 8 workers get them all at the same time', async () => {
      const prefix = `${randomUUID()}:`;
      const runs = new Map<string, number>();
      const keys = Array.from({ length: 50 }, (_, index) => `m-${index}`);
      await Promise.all(
        Array.from({ length: 8 }, async (_, worker) => {
          const client = worker % 2 === 0 ? ioredis : nodeRedis;
          const handler = createBatchProcessor(
            async ({ id }) => {
              await delay(Math.random() * 20);
              runs.set(id, (runs.get(id) ?? 0) + 1);
            },
            {
              store: inRedis({ client, prefix, ...options }),
              namespace: 'n',
              observer: { onEvent: () => undefined },
            },
          );
          for (let waiting = keys; waiting.length > 0;) {
            const event = sqsEvent(waiting.map((messageId) => ({ messageId, body: {} })));
            const answer = await handler(event, lambdaContext({ remainingTimeMs: 20_000 }));
            waiting = (answer?.batchItemFailures ?? []).map(({ itemIdentifier }) => itemIdentifier);
          }
        }),
      );
      expect([...runs.values()]).toEqual(keys.map(() => 1));
    });
  });
});

function requestOf(key: string): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: 30_000, retentionMs: 60_000 };
}

function completion(key: string, owner: string) {
  return { end: 'complete', key, owner, retentionMs: 60_000 } as const;
}

/** How many calls each step makes. */
async function counted(
  client: RedisClient,
  steps: (counting: RedisClient) => Promise<(() => Promise<unknown>)[]>,
): Promise<number[]> {
  let calls = 0;
  const counting = new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'call' || name === 'sendCommand') calls += 1;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const counts: number[] = [];
  for (const step of await steps(counting)) {
    calls = 0;
    await step();
    counts.push(calls);
  }
  return counts;
}

/** A client before whose calls something happens. */
function asClient(client: Redis, before: () => unknown): RedisClient {
  return {
    call(command, args) {
      before();
      return client.call(command, args);
    },
    pipeline: () => ({ exec: async () => null }),
    status: 'ready',
    options: {},
  };
}
