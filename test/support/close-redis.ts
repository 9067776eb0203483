import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, Redis } from 'ioredis';

/** Ends a client of ioredis, and waits until nothing of it is left: a timer of its own would keep the process. */
export async function closeRedis(client: Redis | Cluster): Promise<void> {
  if (client.status === 'end') return;
  if (client.status !== 'close' && client.status !== 'reconnecting') {
    // Not `once` of Node, which rejects for an error of the client.
    const ended = new Promise((resolve) => client.once('end', resolve));
    client.disconnect();
    await ended;
    return;
  }
  client.disconnect();
  // Its connection is closed, so nothing stops the timer that ioredis has just started.
  await delay('disconnectTimeout' in client.options ? Number(client.options.disconnectTimeout) : 0);
}
