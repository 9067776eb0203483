import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Claim } from '../../src/claims/claim.ts';
import type { ClaimRequest, ClaimStore, Completion, Settlement } from '../../src/claims/claim-store.ts';
import { redisStore } from '../../src/stores/redis/index.ts';
import type { RedisClient } from '../../src/stores/redis/redis-client.ts';
import { redisStoreBy } from '../../src/stores/redis/redis-store.ts';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis, type RedisService, startRedis } from '../../test/support/components/redis.ts';

describeWith([redis], 'what the rows of a batch have alike', () => {
  let server: RedisService;
  let client: Redis;
  beforeAll(async () => {
    server = await startRedis();
    client = new Redis(server.endpoint);
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await closeRedis(client);
    await server.stop();
  });

  it('goes to Redis once, and what each has for itself with its row', async () => {
    const sent: number[] = [];
    const counting = watched(client, (_command, args) => void sent.push(args.length));
    const store = redisStore({ client: counting, prefix: `${randomUUID()}:` });
    const requests = Array.from({ length: 100 }, (_, index) => requestOf(`key-${index}`));
    await store.acquire(requests.slice(0, 1));
    await store.settle([completionOf(requests[0] as ClaimRequest)]);
    sent.length = 0;
    await store.acquire(requests.slice(1));
    await store.settle(requests.slice(1).map((request) => completionOf(request)));
    expect(sent.map((count) => Math.ceil(count / 99))).toEqual([3, 3]);
  });

  it('does not mix rows that are written differently by one script', async () => {
    const store = redisStore({ client, prefix: `${randomUUID()}:` });
    const requests: ClaimRequest[] = [
      { ...requestOf('a'), payloadHash: 'hash-a', recordId: 'record-a' },
      { ...requestOf('b'), lockedBy: 'another' },
      { ...requestOf('c'), recordId: 'record-c' },
      { ...requestOf('d'), payloadHash: 'hash-d', leaseMs: 60_000 },
    ];
    expect((await store.acquire(requests)).map(({ status }) => status)).toEqual(
      requests.map(() => 'acquired'),
    );
    const [a, b, c, d] = requests as [ClaimRequest, ClaimRequest, ClaimRequest, ClaimRequest];
    const settlements: Settlement[] = [
      { ...completionOf(a), end: 'complete', result: '"done"' },
      { end: 'fail', key: b.key, owner: b.owner, retentionMs: 1_000, error: { name: 'Error', message: 'b' } },
      completionOf(c),
      { end: 'release', key: d.key, owner: d.owner, retentionMs: 1_000, releases: 0 },
    ];
    expect(await store.settle(settlements)).toEqual(settlements.map(() => 'stored'));

    const claims = await Promise.all(requests.map(({ key }) => store.inspect(key)));
    expect(claims).toEqual([
      expect.objectContaining({
        status: 'COMPLETED',
        payloadHash: 'hash-a',
        recordId: 'record-a',
        result: '"done"',
      }),
      expect.objectContaining({
        status: 'FAILED',
        lockedBy: 'another',
        error: { name: 'Error', message: 'b' },
      }),
      expect.objectContaining({ status: 'COMPLETED', recordId: 'record-c', owner: c.owner }),
      expect.objectContaining({ status: 'FAILED', payloadHash: 'hash-d', owner: d.owner, releases: 1 }),
    ]);
    expect(claims[1]).not.toHaveProperty('recordId');
    expect(claims[1]).not.toHaveProperty('payloadHash');
    expect(claims[2]).not.toHaveProperty('result');
    expect(claims[3]).not.toHaveProperty('error');
  });

  it.each([
    { payloadHash: 'hash' },
    { recordId: 'record' },
    { recordsStart: true },
    { lockedBy: 'another' },
    { leaseMs: 60_000 },
    { retentionMs: 120_000 },
    { isRedelivery: true },
  ])('is not taken for that of a row that has %p besides', async (member) => {
    const { store } = counted();
    const kinds = [requestOf('plain'), { ...requestOf('other'), ...member }];
    const alone = await Promise.all(kinds.map(async (request) => (await stored(request))[0]));
    for (const requests of [kinds, kinds.toReversed()]) expect(await stored(...requests)).toEqual(alone);

    async function stored(...requests: ClaimRequest[]): Promise<unknown[]> {
      const those = requests.map((request) => ({ ...request, key: request.key + randomUUID() }));
      const askedAt = Date.now();
      const outcomes = await store.acquire(those);
      those.forEach(({ leaseMs }, index) => {
        const outcome = outcomes[index] as { readonly leaseUntil: number };
        expect(outcome).toMatchObject({ status: 'acquired', attempt: 1 });
        expect(outcome.leaseUntil - askedAt - leaseMs).toBeLessThan(20_000);
      });
      const claims = await Promise.all(those.map(({ key }) => store.inspect(key)));
      const shapes = claims.map((claim) => shapeOf(claim as Claim));
      return shapes.toSorted((one, other) => (one.key < other.key ? 1 : -1));
    }
  });

  it.each([{ result: '1' }, { retentionMs: 120_000 }, { end: 'release', releases: 0 }])(
    'is not taken for that of an end that has %p besides',
    async (member) => {
      const { store } = counted();
      const kinds = [requestOf('plain'), requestOf('other')] as [ClaimRequest, ClaimRequest];
      const ends = kinds.map((request, index) => ({ ...completionOf(request), ...(index === 1 && member) }));
      const alone = await Promise.all(ends.map(async (end) => (await stored(end as Settlement))[0]));
      for (const some of [ends, ends.toReversed()])
        expect(await stored(...(some as Settlement[]))).toEqual(alone);

      async function stored(...settlements: Settlement[]): Promise<unknown[]> {
        const those = settlements.map((end) => ({ ...end, key: end.key + randomUUID() }));
        await store.acquire(those.map(({ key, owner }) => ({ ...requestOf(key), owner })));
        expect(await store.settle(those)).toEqual(those.map(() => 'stored'));
        const claims = await Promise.all(those.map(({ key }) => store.inspect(key)));
        const shapes = claims.map((claim) => shapeOf(claim as Claim));
        return shapes.toSorted((one, other) => (one.key < other.key ? 1 : -1));
      }
    },
  );

  it('is one call for 500 rows, and each row gets its own owner and result', async () => {
    const { store, sent } = counted();
    const requests = requestsOf(500);
    const acquired = { status: 'acquired', attempt: 1 };
    expect(await store.acquire(requests)).toMatchObject(requests.map(() => acquired));
    const settlements = requests.map((request, index) => ({
      ...completionOf(request),
      result: JSON.stringify('é'.repeat(index % 7)),
    }));
    expect(await store.settle(settlements)).toEqual(requests.map(() => 'stored'));
    expect(sent).toEqual([500, 500]);
    for (const { key, owner, result } of settlements) {
      expect(await store.inspect(key)).toMatchObject({ status: 'COMPLETED', owner, result });
    }
  });

  it('does not hide what the rows among them say that were not written', async () => {
    const { store, sent } = counted();
    const requests = requestsOf(8);
    const [done, held, lapsed, parked, failed] = requests.map(({ key }) => requestOf(key));
    const earlier = [done, held, { ...lapsed, leaseMs: 1 }, parked, failed] as ClaimRequest[];
    await store.acquire(earlier);
    const error = { name: 'Error', message: 'declined' };
    await store.settle([
      { ...completionOf(done as ClaimRequest), result: '7' },
      { ...completionOf(parked as ClaimRequest), end: 'park', error },
      { ...completionOf(failed as ClaimRequest), end: 'fail', error },
    ]);
    await delay(5);
    sent.length = 0;
    expect(await store.acquire(requests)).toMatchObject([
      { status: 'duplicate', result: '7' },
      { status: 'conflict', attempt: 1 },
      { status: 'acquired', attempt: 2, tookOver: true, crashes: 1 },
      { status: 'parked', error },
      { status: 'acquired', attempt: 2, tookOver: false },
      ...requests.slice(5).map(() => ({ status: 'acquired', attempt: 1 })),
    ]);
    // All rows, and then the two that are written over what was met.
    expect(sent).toEqual([8, 2]);
  });

  it.each(['evalsha', 'eval'])('is found as its own when %s is sent again', async (form) => {
    const requests = requestsOf(10);
    const { store: other } = counted();
    await other.acquire(requests); // so that the server knows the scripts
    await other.settle(requests.map(completionOf));
    const repeating: RedisClient = {
      ...watched(client, () => undefined),
      async call(command, args) {
        if (form === 'eval' && command === 'evalsha') await client.script('FLUSH');
        else await client.call(command, args);
        return client.call(command, args);
      },
    };
    const store = redisStore({ client: repeating, prefix: `${randomUUID()}:` });
    const first = { status: 'acquired', attempt: 1, tookOver: false };
    expect(await store.acquire(requests)).toMatchObject(requests.map(() => first));
    expect(await store.settle(requests.map(completionOf))).toEqual(requests.map(() => 'stored'));
  });

  it('is written after all for a row that was met, and is gone when it is to be replaced', async () => {
    const prefix = `${randomUUID()}:`;
    let calls = 0;
    const forgetting: RedisClient = {
      ...watched(client, () => undefined),
      async call(command, args) {
        if (command === 'evalsha' && (calls += 1) === 2) await client.del(`${prefix}key-1`);
        return client.call(command, args);
      },
    };
    await redisStore({ client, prefix }).acquire([{ ...requestOf('key-1'), leaseMs: 1 }]);
    await delay(5);
    const store = redisStore({ client: forgetting, prefix });
    const first = { status: 'acquired', attempt: 1, tookOver: false };
    expect(await store.acquire(requestsOf(3))).toMatchObject([first, first, first]);
  });

  it('ends no claim that another owner has taken over, and all others', async () => {
    const { store, sent } = counted();
    const requests = requestsOf(10).map((request) => ({ ...request, leaseMs: 1 }));
    await store.acquire(requests);
    await delay(5);
    const taker = requestOf('key-3');
    expect(await store.acquire([taker])).toMatchObject([{ status: 'acquired', tookOver: true }]);
    sent.length = 0;
    const outcomes = await store.settle(requests.map(completionOf));
    expect(outcomes).toEqual(requests.map(({ key }) => (key === 'key-3' ? 'lost' : 'stored')));
    expect(sent).toEqual([10]);
    expect(await store.inspect('key-3')).toMatchObject({ status: 'IN_PROGRESS', owner: taker.owner });
  });

  it('is written for no row when the call arrives too late', async () => {
    let behind = 0;
    const late = watched(client, () => void (behind = 0));
    const clock = { now: () => Date.now() - behind };
    const store = redisStoreBy({ client: late, prefix: `${randomUUID()}:` }, { clock });
    const requests = requestsOf(10);
    behind = 31_000;
    expect(await store.acquire(requests)).toMatchObject(requests.map(() => ({ status: 'error' })));
    for (const { key } of requests) expect(await store.inspect(key)).toBeUndefined();
  });

  it('fails for a row that is no hash alone', async () => {
    const prefix = `${randomUUID()}:`;
    await client.set(`${prefix}key-1`, 'no hash');
    const store = redisStore({ client, prefix });
    const requests = requestsOf(3);
    const notAClaim = { error: { code: 'BATCHLATCH_NOT_A_CLAIM' } };
    const acquired = { status: 'acquired' };
    expect(await store.acquire(requests)).toMatchObject([acquired, notAClaim, acquired]);
    expect(await store.settle(requests.map(completionOf))).toMatchObject(['stored', notAClaim, 'stored']);
  });

  /** A store, and the number of rows of each script that it sends. */
  function counted(): { readonly store: ClaimStore; readonly sent: number[] } {
    const sent: number[] = [];
    const counting = watched(client, (command, [, rows]) => {
      if (command === 'evalsha') sent.push(Number(rows));
    });
    return { store: redisStore({ client: counting, prefix: `${randomUUID()}:` }), sent };
  }
});

/** A claim with the kind of its key in place of key and owner, and with times relative to others of the row. */
function shapeOf(claim: Claim): Claim {
  const { key, createdAt, updatedAt, completedAt = updatedAt, leaseUntil, expiresAt = 0 } = claim;
  return {
    ...claim,
    key: key.slice(0, 5),
    owner: '',
    createdAt: 0,
    updatedAt: 0,
    completedAt: completedAt - updatedAt,
    leaseUntil: leaseUntil - createdAt,
    expiresAt: expiresAt - updatedAt,
  };
}

/** A client that tells of each command before it sends it. */
function watched(client: Redis, onCommand: (command: string, args: readonly string[]) => void): RedisClient {
  return {
    call(command, args) {
      onCommand(command, args);
      return client.call(command, args);
    },
    pipeline: () => ({ exec: async () => null }),
    status: 'ready',
    options: {},
  };
}

function requestsOf(count: number): ClaimRequest[] {
  return Array.from({ length: count }, (_, index) => requestOf(`key-${index}`));
}

function requestOf(key: string): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: 30_000, retentionMs: 60_000, lockedBy: 'function' };
}

function completionOf({ key, owner }: ClaimRequest): Completion {
  return { end: 'complete', key, owner, retentionMs: 60_000 };
}
