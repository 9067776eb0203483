import { randomUUID } from 'node:crypto';
import { redisAdmin } from 'batchlatch/redis';
import { Redis } from 'ioredis';
import type { DisposeStack } from '../../../packages/cli/src/dev/emulators/dispose-stack.ts';
import { scriptCallCounter, startCountingProxy } from '../emulators/counting-proxy.ts';
import { startRedisServer } from '../emulators/redis-server.ts';
import { type DemoStore, type DemoStoreSetup, functionOfDemo } from './demo-store.ts';
import { startPaymentProvider } from './payment-provider.ts';
import { claimsOf, unreachable } from './store-in-demo.ts';

/** Claims in a Redis, and the log of charges in a list there. */
export async function redisDemo(
  redisUrl: string | undefined,
  { orders, messages, cleanup, trouble, isOver }: DemoStoreSetup,
): Promise<DemoStore> {
  const server = redisUrl === undefined ? await startRedisServer() : undefined;
  if (server !== undefined) cleanup.defer(() => server.stop());
  const url = server?.endpoint ?? redisUrl ?? '';
  const client = await connected(url, cleanup);
  const suffix = randomUUID().slice(0, 8);
  const prefix = `orders-claims-${suffix}:`;
  const charges = `orders-charges-${suffix}`;
  if (server === undefined) cleanup.defer(() => deleteKeys(client, [`${prefix}*`, charges]));
  const counted = await countedUrl(url, cleanup);
  const provider = await startPaymentProvider(messages, trouble, isOver);
  cleanup.defer(() => provider.stop());
  return {
    label: 'Redis',
    describe: () =>
      Promise.resolve(
        `${server === undefined ? '' : `${server.name}, `}${new URL(url).host}, claims written by scripts`,
      ),
    fn: functionOfDemo(orders.fn, 'orders-on-redis.ts', {
      REDIS_URL: counted.url,
      CLAIMS_PREFIX: prefix,
      CHARGES_LIST: charges,
      PAYMENTS_URL: provider.endpoint,
    }),
    tables: [],
    ...claimsOf(redisAdmin({ client, prefix })),
    place: `Redis under ${prefix}`,
    indexedStates: [],
    async readChargedOrders() {
      const rows = await client.lrange(charges, 0, -1);
      return rows.map((row) => (JSON.parse(row) as { orderId: string }).orderId);
    },
    claimRequests: counted.count,
  };
}

async function connected(url: string, cleanup: DisposeStack): Promise<Redis> {
  const client = new Redis(url, { lazyConnect: true, connectTimeout: 5_000, retryStrategy: () => null });
  let trouble: unknown;
  client.on('error', (error) => (trouble ??= error));
  try {
    await client.connect();
  } catch (error) {
    // A disconnect() would wait two seconds for the end of what is over.
    throw unreachable('Redis', '--redis-url', url, trouble ?? error);
  }
  cleanup.defer(() => client.disconnect());
  return client;
}

/** For a server that goes on after the demo. */
async function deleteKeys(client: Redis, patterns: readonly string[]): Promise<void> {
  for (const pattern of patterns) {
    for await (const keys of client.scanStream({ match: pattern, count: 1_000 }) as AsyncIterable<string[]>) {
      if (keys.length > 0) await client.unlink(...keys);
    }
  }
}

/** What is encrypted cannot be counted, and its certificate is not that of a proxy. */
async function countedUrl(
  url: string,
  cleanup: DisposeStack,
): Promise<{ readonly url: string; count(): number | undefined }> {
  const target = new URL(url);
  if (target.protocol === 'rediss:') return { url, count: () => undefined };
  const proxy = await startCountingProxy(
    { host: target.hostname.replace(/^\[|\]$/g, ''), port: Number(target.port || 6379) },
    scriptCallCounter,
  );
  cleanup.defer(() => proxy.stop());
  target.host = proxy.endpoint;
  return { url: target.href, count: () => proxy.count() };
}
