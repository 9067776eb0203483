import { boundedConnection } from './check-redis.ts';
import { type Connection, connectionOf } from './connection.ts';
import type { RedisClient } from './redis-client.ts';

/** A node that keeps rows, whatever client leads to it. */
export interface RedisPrimary {
  /**
   * Sends a command to this node. Rejects with the client's error, and after 10 seconds without an answer.
   *
   * @param command Its words, such as `['config', 'get', 'save']`.
   */
  send(command: readonly string[]): Promise<unknown>;
}

/**
 * Returns the primaries that a client leads to: each of a cluster, or the one server. For questions about the servers
 * themselves; `checkRedis` asks the usual ones.
 *
 * @param client A client of `redis` or `ioredis`.
 *
 * @example
 * import { redisPrimaries } from 'batchlatch/redis';
 * import { createClient } from 'redis';
 *
 * const client = await createClient().connect();
 * for (const primary of await redisPrimaries(client)) console.log(await primary.send(['info', 'server']));
 */
export async function redisPrimaries(client: RedisClient): Promise<readonly RedisPrimary[]> {
  return (await boundedConnection(connectionOf(client)).primaries()).map(primaryAt);
}

function primaryAt(connection: Connection): RedisPrimary {
  return { send: (command) => connection.send(undefined, [...command]) };
}
