/**
 * Claims in Redis or Valkey, by a client of `redis` or `ioredis`.
 *
 * @module batchlatch/redis
 */
export {
  checkRedis,
  type RedisCheck,
  type RedisPrimary,
  redisPrimaries,
  type RedisProblem,
  type RedisServer,
} from './check-redis.ts';
export type {
  IoRedisClient,
  IoRedisCluster,
  NodeRedisClient,
  NodeRedisCluster,
  NodeRedisSentinel,
  RedisClient,
} from './redis-client.ts';
export { redisStore, type RedisStoreOptions } from './redis-store.ts';
export type { WaitOptions } from './replication.ts';
export { redisAdmin, type RedisAdminOptions } from './redis-admin.ts';
