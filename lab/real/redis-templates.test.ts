import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { ClaimRequest, Settlement } from '../../src/claims/claim-store.ts';
import { redisStore } from '../../src/stores/redis/index.ts';
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
    const counting = new Proxy(client, {
      get(target, name) {
        if (name !== 'call') return Reflect.get(target, name) as unknown;
        return (command: string, args: string[]): unknown => {
          sent.push(args.length);
          return target.call(command, args);
        };
      },
    });
    const store = redisStore({ client: counting, prefix: `${randomUUID()}:` });
    const requests = Array.from({ length: 100 }, (_, index) => requestOf(`key-${index}`));
    await store.acquire(requests.slice(0, 1));
    await store.settle([completionOf(requests[0] as ClaimRequest)]);
    sent.length = 0;
    await store.acquire(requests.slice(1));
    await store.settle(requests.slice(1).map((request) => completionOf(request)));
    expect(sent.map((count) => Math.ceil(count / 99))).toEqual([6, 6]);
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
});

function requestOf(key: string): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: 30_000, retentionMs: 60_000, lockedBy: 'function' };
}

function completionOf({ key, owner }: ClaimRequest): Settlement {
  return { end: 'complete', key, owner, retentionMs: 60_000 };
}
