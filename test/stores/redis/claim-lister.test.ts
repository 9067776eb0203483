import { expect, it } from '@jest/globals';
import { redisAdmin } from 'batchlatch/redis';

/** A node whose SCAN never comes to its end, and finds nothing. */
const nodeAt = (host: string) => ({
  options: { host, port: 6379 },
  status: 'ready',
  pipeline: () => undefined,
  call: async (command: string) => (command === 'scan' ? ['5', []] : [Date.now(), 0, 1, 0]),
});

it('a list of a cluster does not go on with other primaries, whose claims it would leave out', async () => {
  let hosts = ['10.0.0.5', '10.0.0.7'];
  const client = { ...nodeAt('any'), isCluster: true, nodes: () => hosts.map(nodeAt) };
  const admin = redisAdmin({ client: client as never });
  const { next } = await admin.list({});
  expect(next).toBeDefined();
  const again = { cursor: next as string };
  expect(await admin.list(again)).toMatchObject({ next: expect.any(String) });
  // A replica has taken over: of the node that is being listed, or of one whose turn would have come later.
  for (const changed of [
    ['10.0.0.4', '10.0.0.7'],
    ['10.0.0.4', '10.0.0.5'],
  ]) {
    hosts = changed;
    await expect(admin.list(again)).rejects.toMatchObject({
      code: 'BATCHLATCH_STORE',
      message: expect.stringContaining('begin again, without a cursor'),
    });
  }
});
