import { expect, it } from '@jest/globals';
import { redisPrimaries } from 'batchlatch/redis';

it('redisPrimaries() sends commands to each primary of a cluster, and to no replica', async () => {
  const node = (name: string): object => ({
    call: async (command: string, args: readonly string[]) => [name, command, ...args],
    pipeline: () => undefined,
    options: { host: name, port: 6379 },
  });
  const cluster = {
    ...node('cluster'),
    isCluster: true,
    nodes: (role: string) => (role === 'master' ? [node('a'), node('b')] : [node('replica')]),
  };
  const primaries = await redisPrimaries(cluster as never);
  expect(await Promise.all(primaries.map((primary) => primary.send(['config', 'get', 'save'])))).toEqual([
    ['a', 'config', 'get', 'save'],
    ['b', 'config', 'get', 'save'],
  ]);
});
