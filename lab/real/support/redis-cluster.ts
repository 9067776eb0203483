import { Redis } from 'ioredis';
import { freePort } from '../../../packages/cli/src/dev/emulators/free-port.ts';
import { closeRedis } from '../../../test/support/close-redis.ts';
import { type RedisService, startRedis } from '../../../test/support/components/redis.ts';
import { until } from './until.ts';

export interface RedisCluster {
  readonly servers: readonly RedisService[];
  stop(): Promise<void>;
}

const SLOTS = 16_384;
/** A node that is gone is noticed soon, and the slots of the others are served. */
const LENIENT = '--cluster-node-timeout 1000 --cluster-require-full-coverage no';

/** A cluster of three primaries, on free ports, each with a third of the slots. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const servers = await Promise.all(
    [0, 1, 2].map(async () =>
      startRedis({
        settings: `--cluster-enabled yes --cluster-port ${await freePort()} ${LENIENT}`.split(' '),
      }),
    ),
  );
  const clients = servers.map(({ endpoint }) => new Redis(endpoint));
  for (const [index, client] of clients.entries()) {
    const from = Math.floor((index * SLOTS) / 3);
    const to = Math.floor(((index + 1) * SLOTS) / 3) - 1;
    await client.call('cluster', 'addslotsrange', String(from), String(to));
    const bus = await client.config('GET', 'cluster-port');
    const [firstClient] = clients as [Redis, ...Redis[]];
    if (index > 0) {
      await firstClient.call(
        'cluster',
        'meet',
        '127.0.0.1',
        String(servers[index]?.port),
        String(Object(bus)[1]),
      );
    }
  }
  await until('the cluster serves', async () => {
    const infos = await Promise.all(clients.map((client) => client.cluster('INFO')));
    return infos.every((info) => /cluster_state:ok/.test(info) && /cluster_known_nodes:3/.test(info));
  });
  await Promise.all(clients.map(closeRedis));
  return {
    servers,
    stop: async () => void (await Promise.all(servers.map((server) => server.stop()))),
  };
}
