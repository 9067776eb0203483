import { randomUUID } from 'node:crypto';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { CachePersistenceLayer } from '@aws-lambda-powertools/idempotency/cache';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { withIdempotency } from 'batchlatch/functions';
import { powertoolsCacheStore, powertoolsCallKey } from 'batchlatch/powertools';
import { describeClaimStore, lambdaContext, manualClock } from 'batchlatch/testing';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { closeRedis } from '../../test/support/close-redis.ts';
import { describeWith, INSTALL_TIMEOUT_MS } from '../../test/support/components/describe-with.ts';
import { redis, type RedisService, startRedis } from '../../test/support/components/redis.ts';

type Work = () => unknown;

describeWith([redis], 'on a cache that Powertools uses', () => {
  let server: RedisService;
  let ioredis: Redis;
  let nodeRedis: Awaited<ReturnType<typeof connected>>;
  const connected = () => createClient({ url: server.endpoint }).connect();
  beforeAll(async () => {
    jest.spyOn(console, 'warn').mockImplementation(() => undefined); // of calls without a Lambda context
    server = await startRedis();
    ioredis = new Redis(server.endpoint);
    nodeRedis = await connected();
  }, INSTALL_TIMEOUT_MS);
  afterAll(async () => {
    await closeRedis(ioredis);
    nodeRedis.destroy();
    await server.stop();
    jest.restoreAllMocks();
  });

  describeClaimStore({
    name: 'powertoolsCacheStore on ioredis',
    create: (clock) => powertoolsCacheStore({ client: ioredis, clock: { ...manualClock(), ...clock } }),
  });
  describeClaimStore({
    name: 'powertoolsCacheStore on node-redis',
    create: (clock) => powertoolsCacheStore({ client: nodeRedis, clock: { ...manualClock(), ...clock } }),
  });

  /** One call, as both libraries make it. */
  function open({ remainingTimeMs = 30_000, ...config }: Record<string, unknown> = {}) {
    const clock = manualClock(Date.now());
    const data = { orderId: randomUUID(), amount: 1 };
    const key = powertoolsCallKey({ eventKeyJmesPath: 'orderId', keyPrefix: 'charges' });
    const theirs = {
      persistenceStore: new CachePersistenceLayer({ client: nodeRedis }),
      config: new IdempotencyConfig({
        eventKeyJmesPath: 'orderId',
        ...(remainingTimeMs !== 0 && {
          lambdaContext: lambdaContext({ remainingTimeMs: Number(remainingTimeMs) }),
        }),
        ...config,
      }),
      keyPrefix: 'charges',
    };
    const store = powertoolsCacheStore({ client: ioredis, clock });
    const options = { store, key, clock, leaseMs: 60_000 };
    return {
      clock,
      store,
      key: key(data),
      value: async () =>
        JSON.parse((await ioredis.get(key(data))) ?? 'null') as Record<string, unknown> | null,
      powertools: (work: Work) => makeIdempotent(async (_data: unknown) => work(), theirs)(data),
      batchlatch: (work: Work, leaseMs = 60_000) =>
        withIdempotency(async (_data: unknown) => work(), { ...options, leaseMs })(data),
    };
  }

  describe('a call', () => {
    it.each([[undefined], [null], ['text'], [0], [1e300], [{ chargeId: 'c', lines: [[], {}, '1'] }]])(
      'gets what Powertools stored: %j',
      async (result) => {
        const { powertools, batchlatch, value } = open();
        expect(await powertools(() => result)).toEqual(result);
        expect(await batchlatch(NEVER)).toEqual(result);
        expect(await value()).not.toHaveProperty('owner');
      },
    );

    it.each([[undefined], [null], ['text'], [0], [1e300], [{ chargeId: 'c', lines: [[], {}, '1'] }]])(
      'is replayed by Powertools once batchlatch has completed it: %j',
      async (result) => {
        const { powertools, batchlatch } = open();
        expect(await batchlatch(() => result)).toEqual(result);
        expect(await powertools(NEVER)).toEqual(result);
        expect(await batchlatch(NEVER)).toEqual(result);
      },
    );

    it('conflicts while Powertools runs it, until its inProgressExpiration', async () => {
      const { powertools, batchlatch, clock, value } = open();
      const { started, end, work } = stepwise();
      const running = powertools(work);
      await started;
      const leaseUntil = Number((await value())?.['in_progress_expiration']);
      await expect(batchlatch(NEVER)).rejects.toMatchObject({ code: 'BATCHLATCH_CONFLICT', leaseUntil });
      await clock.advance(leaseUntil - clock.now());
      expect(await batchlatch(() => 'ours')).toBe('ours');
      end('theirs');
      await running;
    });

    it('conflicts until it is forgotten where Powertools was given no Lambda context', async () => {
      const { powertools, batchlatch, clock } = open({ remainingTimeMs: 0, expiresAfterSeconds: 60 });
      const { started, end, work } = stepwise();
      const running = powertools(work);
      await started;
      await clock.advance(58_000);
      await expect(batchlatch(NEVER)).rejects.toMatchObject({ code: 'BATCHLATCH_CONFLICT' });
      end('theirs');
      expect(await running).toBe('theirs');
    });

    it('is refused by Powertools while batchlatch runs it', async () => {
      const { powertools, batchlatch } = open();
      const { started, end, work } = stepwise();
      const running = batchlatch(work);
      await started;
      await expect(powertools(NEVER)).rejects.toThrow(/already an execution in progress/);
      end('ours');
      expect(await running).toBe('ours');
    });

    it('may run on either side after a failure on the other', async () => {
      const { powertools, batchlatch } = open();
      await expect(powertools(failing)).rejects.toThrow('declined');
      await expect(batchlatch(failing)).rejects.toThrow('declined');
      expect(await powertools(() => 'third')).toBe('third');
      expect(await batchlatch(NEVER)).toBe('third');
    });

    it('runs here again and again after failures, and is completed once', async () => {
      const { powertools, batchlatch, store, key } = open();
      for (let attempt = 1; attempt <= 3; attempt += 1) {
        await expect(batchlatch(failing)).rejects.toThrow('declined');
        expect(await store.inspect(key)).toMatchObject({ status: 'FAILED', attempt });
      }
      expect(await batchlatch(() => 'fourth')).toBe('fourth');
      expect(await powertools(NEVER)).toBe('fourth');
    });

    it('is locked when batchlatch takes it over, as Powertools locks it', async () => {
      const { powertools, batchlatch, clock, key } = open({ remainingTimeMs: 20 });
      const { started, end, work } = stepwise();
      const crashed = powertools(work);
      await started;
      await clock.advance(60_000);
      const { started: oursStarted, end: endOurs, work: ours } = stepwise();
      const running = batchlatch(ours);
      await oursStarted;
      expect(await ioredis.get(`${key}:lock`)).toBe('batchlatch');
      await expect(powertools(NEVER)).rejects.toThrow(/already an execution in progress/);
      endOurs('ours');
      expect(await running).toBe('ours');
      end('late');
      await crashed;
    });

    it('is not taken over by batchlatch while Powertools holds the lock of a takeover', async () => {
      const { powertools, batchlatch, clock, key } = open({ remainingTimeMs: 20 });
      const { started, end, work } = stepwise();
      const crashed = powertools(work);
      await started;
      await clock.advance(60_000);
      await ioredis.set(`${key}:lock`, 'true', 'EX', 10);
      await expect(batchlatch(NEVER)).rejects.toMatchObject({ code: 'BATCHLATCH_CONTENDED' });
      await ioredis.del(`${key}:lock`);
      expect(await batchlatch(() => 'ours')).toBe('ours');
      end('late');
      await crashed;
    });

    it('goes to one of many that take it over at once', async () => {
      const { store, key, clock } = open();
      const request = (owner: string) => ({ key, owner, leaseMs: 1_000, retentionMs: 60_000 });
      await store.acquire([request('crashed')]);
      await clock.advance(1_001);
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, (_, index) => store.acquire([request(`owner-${index}`)])),
      );
      const statuses = outcomes.flat().map(({ status }) => status);
      expect(statuses.filter((status) => status === 'acquired')).toHaveLength(1);
    });
  });

  it('forgets its values with their retention', async () => {
    const { batchlatch, key } = open();
    await batchlatch(() => 1);
    const left = await ioredis.pttl(key);
    expect(left).toBeGreaterThan(3 * 86_400_000);
    expect(left).toBeLessThan(5 * 86_400_000);
  });

  it('finds that Powertools itself refuses every replay with payload validation, whose hash it loses', async () => {
    const { powertools, batchlatch } = open({ payloadValidationJmesPath: 'amount' });
    await powertools(() => 1);
    await expect(powertools(NEVER)).rejects.toThrow(/Payload does not match/);
    expect(await batchlatch(NEVER)).toBe(1);
  });

  it('refuses a value that is none of Powertools’', async () => {
    const { batchlatch, key } = open();
    for (const text of ['7', 'text', '{"status":"DONE"}', '{}']) {
      await ioredis.set(key, text);
      await expect(batchlatch(NEVER)).rejects.toMatchObject({
        code: 'BATCHLATCH_NOT_A_CLAIM',
        message: expect.not.stringContaining(key),
      });
    }
  });
});

const NEVER = (): never => {
  throw new Error('It ran, although it must not');
};

const failing = (): never => {
  throw new Error('declined');
};

/** Work that says when it starts, and ends when it is told to. */
function stepwise() {
  let start: () => void = NEVER;
  let end: (result: unknown) => void = NEVER;
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const ended = new Promise<unknown>((resolve) => {
    end = resolve;
  });
  const work = (): Promise<unknown> => {
    start();
    return ended;
  };
  return { started, work, end: (result: unknown) => end(result) };
}
