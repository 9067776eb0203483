import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { redisStore, type RedisClient } from 'batchlatch/redis';
import type { ClaimRequest } from '../../../src/claims/claim-store.ts';

type Answer = (command: string, args: readonly string[]) => unknown;

// What Redis does with the scripts is tested on real servers: lab/real/redis*.test.ts.
describe('redisStore', () => {
  it.each([
    [{}, '`client` to be a client of `ioredis` or of `redis` (node-redis), got `undefined`'],
    [{ client: {} }, '`client` to be a client'],
    [{ client: 'redis://u:s3cret@h' }, '(node-redis), got a string'],
    [{ client: ioredis(written), prefix: 'a{b' }, '`prefix` to be a text of at most 100 characters, without'],
    [{ client: ioredis(written), slots: 0 }, '`slots` to be an integer from 1 to 1024, got `0`'],
    [
      { client: ioredis(written), wait: { replicas: 1 } },
      '`wait` to be an object { replicas: an integer from 0 up, timeoutMs',
    ],
    [{ client: ioredis(written), url: 'redis://' }, 'Unknown option `url`'],
    [
      { client: pool(written), wait: { replicas: 1, timeoutMs: 10 } },
      '`wait` needs a client that writes and waits on one',
    ],
  ])('refuses options that cannot work: %#', (options, message) => {
    expect(() => redisStore(options as never)).toThrow(
      expect.objectContaining({
        code: 'BATCHLATCH_CONFIGURATION',
        message: expect.stringMatching(new RegExp(`^redisStore: .*${escaped(message)}`)),
      }),
    );
  });

  it.each([
    ['ioredis', ioredis],
    ['node-redis', nodeRedis],
    ['a pool of node-redis', pool],
    ['a cluster of node-redis', nodeRedisCluster],
    ['a sentinel client of node-redis', sentinel],
  ])('knows %s by its members', async (_name, clientOf) => {
    const sent: string[] = [];
    const client = clientOf((command, args) => {
      sent.push(command);
      return written(command, args);
    });
    const outcomes = await redisStore({ client }).acquire([requestOf('a'), requestOf('b')]);
    expect(outcomes).toMatchObject([{ status: 'acquired' }, { status: 'acquired' }]);
    expect(new Set(sent)).toEqual(new Set(['evalsha', 'info']));
  });

  it('sends a script itself to a server that does not know it, each time', async () => {
    const sent: string[] = [];
    const client = nodeRedis((command, args) => {
      sent.push(command);
      if (command === 'evalsha') throw new Error('NOSCRIPT No matching script. Please use EVAL.');
      return written(command, args);
    });
    const store = redisStore({ client });
    await store.settle([completionOf('a')]);
    expect(await store.settle([completionOf('b')])).toEqual(['stored']);
    expect(sent).toEqual(['evalsha', 'eval', 'evalsha', 'eval']);
  });

  it('names the rows of claims after their keys, the same for ever', async () => {
    const names: string[] = [];
    const client = ioredis((command, args) => {
      if (command === 'evalsha') names.push(...args.slice(2, 2 + Number(args[1])));
      return written(command, args);
    });
    await redisStore({ client }).settle([completionOf('orders#v1:1')]);
    await redisStore({ client, prefix: 'x:', slots: 16 }).settle(
      ['orders#v1:1', 'orders#v1:2', 'é😀', ''].map(completionOf),
    );
    // Other names would be other claims: what these say was done would be done again.
    expect(names.toSorted()).toEqual([
      'batchlatch:orders#v1:1',
      'x:{13}orders#v1:1',
      'x:{1}é😀',
      'x:{4}orders#v1:2',
      'x:{5}',
    ]);
  });

  it('fails for the records of a slot whose call fails, and for no others', async () => {
    const client = ioredis((command, args) => {
      if (command === 'evalsha' && args[2]?.includes('{1}') === true)
        throw new Error('CLUSTERDOWN Hash slot not served');
      return written(command, args);
    });
    const store = redisStore({ client, slots: 2 });
    const settlements = Array.from({ length: 20 }, (_, index) => completionOf(`key-${index}`));
    const outcomes = await store.settle(settlements);
    const errors = outcomes.filter((outcome) => outcome !== 'stored');
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThan(20);
    expect(errors[0]).toMatchObject({ error: { isRetryable: true } });
  });

  it('sends a large batch, and long results, in parts', async () => {
    const sizes: number[] = [];
    const client = ioredis((command, args) => {
      if (command === 'evalsha') sizes.push(Number(args[1]));
      return written(command, args);
    });
    const store = redisStore({ client });
    await store.settle(Array.from({ length: 600 }, (_, index) => completionOf(`key-${index}`)));
    expect(sizes.splice(0)).toEqual([500, 100]);
    const result = 'x'.repeat(600_000);
    await store.settle(['a', 'b', 'c'].map((key) => ({ ...completionOf(key), result })));
    expect(sizes).toEqual([1, 1, 1]);
  });

  it('takes numbers as texts, and texts as buffers, as a client may be told to give them', async () => {
    const fields = ['status', 'COMPLETED', 'owner', 'o', 'leaseUntil', '1', 'result', '"x"'];
    const client = ioredis(() => ['5000', '0', '1', fields.map((text) => Buffer.from(text))]);
    const outcomes = await redisStore({ client }).acquire([requestOf('a')]);
    expect(outcomes).toMatchObject([{ status: 'duplicate', result: '"x"' }]);
    const writing = ioredis(() => [Buffer.from('5000'), '1']);
    expect(await redisStore({ client: writing }).settle([completionOf('a')])).toEqual(['stored']);
  });

  it.each([
    ['no row', [5_000]],
    ['too few rows', [5_000, 1]],
    ['too many rows', [5_000, 3]],
    ['one row twice', [5_000, 0, 1, 0, 1, 0]],
    ['a row that was not asked for', [5_000, 1, 3, 0]],
  ])('takes no row for written when the answer of a script is about %s', async (_name, answer) => {
    const client = ioredis((command) => (command === 'info' ? '' : answer));
    const outcomes = await redisStore({ client }).settle([completionOf('a'), completionOf('b')]);
    const error = { isRetryable: true, message: expect.stringContaining('no answer for a row') };
    expect(outcomes).toMatchObject([{ error }, { error }]);
  });

  it('asks with WAITAOF for copies on disk, and says so where the server has it not', async () => {
    const sent: unknown[][] = [];
    const wait = { replicas: 2, timeoutMs: 50, aof: true };
    const answering = (waited: () => unknown): RedisClient =>
      ioredis((command, args) => {
        if (command !== 'waitaof') return written(command, args);
        sent.push([command, ...args]);
        return waited();
      });
    const settle = async (client: RedisClient): Promise<unknown> =>
      redisStore({ client, wait }).settle([completionOf('a')]);
    expect(await settle(answering(() => [1, 2]))).toEqual(['stored']);
    expect(sent).toEqual([['waitaof', '1', '2', '50']]);
    expect(await settle(answering(() => [0, 2]))).toMatchObject([
      { error: { code: 'BATCHLATCH_NOT_REPLICATED' } },
    ]);
    expect(await settle(answering(() => [1, 1]))).toMatchObject([
      { error: { code: 'BATCHLATCH_NOT_REPLICATED' } },
    ]);
    const unknown = answering(() => {
      throw new Error("ERR unknown command 'waitaof', with args beginning with: '1' '2' '50'");
    });
    expect(await settle(unknown)).toMatchObject([
      { error: { isRetryable: false, message: expect.stringContaining('Redis 7.2') } },
    ]);
  });

  it.each([
    ['NOAUTH Authentication required.', 'BATCHLATCH_CREDENTIALS', false],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'BATCHLATCH_CREDENTIALS', false],
    ["NOPERM this user has no permissions to run the 'evalsha' command", 'BATCHLATCH_ACCESS_DENIED', false],
    ['OOM command not allowed when used memory > maxmemory', 'BATCHLATCH_STORE', true],
    ["READONLY You can't write against a read only replica.", 'BATCHLATCH_STORE', true],
    ['LOADING Redis is loading the dataset in memory', 'BATCHLATCH_STORE', true],
    ['CLUSTERDOWN Hash slot not served', 'BATCHLATCH_STORE', true],
    ['MOVED 3999 127.0.0.1:6381', 'BATCHLATCH_STORE', true],
    ['Too many Cluster redirections. Last error: Error: MOVED', 'BATCHLATCH_STORE', true],
    ['BUSY Redis is busy running a script. You can only call SCRIPT KILL', 'BATCHLATCH_STORE', true],
    ['NOREPLICAS Not enough good replicas to write.', 'BATCHLATCH_STORE', true],
    ['MISCONF Redis is configured to save RDB snapshots', 'BATCHLATCH_STORE', true],
    ["CROSSSLOT Keys in request don't hash to the same slot", 'BATCHLATCH_CONFIGURATION', false],
    ['ERR max number of clients reached', 'BATCHLATCH_STORE', true],
    ['ERR value is not an integer or out of range', 'BATCHLATCH_STORE', false],
    ['connect ECONNREFUSED 127.0.0.1:6379', 'BATCHLATCH_STORE', true],
    ['Reached the max retries per request limit (which is 20).', 'BATCHLATCH_STORE', true],
    ['Socket closed unexpectedly', 'BATCHLATCH_STORE', true],
    ['The client is closed', 'BATCHLATCH_STORE', true],
  ])('says of "%s" what it means', async (message, code, isRetryable) => {
    const thrown = Object.assign(new Error(message), {
      command: { name: 'evalsha', args: ['secret payload'] },
    });
    const client = ioredis(() => {
      throw thrown;
    });
    const [outcome] = await redisStore({ client }).settle([completionOf('secret key')]);
    expect(outcome).toMatchObject({ error: { name: 'StoreError', code, isRetryable } });
    const { error } = outcome as { error: Error };
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('secret');
  });
});

/** Does all that it is asked. */
function written(command: string, args: readonly string[]): unknown {
  if (command === 'info') return 'maxmemory_policy:noeviction\r\n';
  return [5_000, Number(args[1])];
}

function ioredis(answer: Answer): RedisClient {
  const call = async (command: string, args: readonly string[]): Promise<unknown> => answer(command, args);
  return {
    call,
    pipeline: (commands) => ({
      exec: () =>
        Promise.all(
          (commands as string[][]).map(async ([command = '', ...args]): Promise<[Error | null, unknown]> => {
            try {
              return [null, await call(command, args)];
            } catch (error) {
              return [error as Error, undefined];
            }
          }),
        ),
    }),
    status: 'ready',
    options: {},
  };
}

function nodeRedis(answer: Answer): RedisClient {
  return { sendCommand: async ([command = '', ...args]: string[]) => answer(command, args), isOpen: true };
}

function pool(answer: Answer): RedisClient {
  return Object.assign(nodeRedis(answer), { execute: () => undefined });
}

function nodeRedisCluster(answer: Answer): RedisClient {
  return {
    sendCommand: async (_key, _isReadonly, [command = '', ...args]: string[]) => answer(command, args),
    isOpen: true,
    slots: [],
    masters: [{ address: '127.0.0.1:1' }],
    nodeClient: () => nodeRedis(answer),
  };
}

function sentinel(answer: Answer): RedisClient {
  return {
    sendCommand: async (_isReadonly: boolean | undefined, [command = '', ...args]: string[]) =>
      answer(command, args),
    isOpen: true,
    getMasterNode: () => undefined,
  };
}

function requestOf(key: string): ClaimRequest {
  return { key, owner: randomUUID(), leaseMs: 30_000, retentionMs: 60_000 };
}

function completionOf(key: string) {
  return { end: 'complete', key, owner: randomUUID(), retentionMs: 60_000 } as const;
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
