import type { ManualClock } from 'batchlatch/testing';
import { redisAdminBy } from '../../src/stores/redis/redis-admin.ts';
import { redisStoreBy } from '../../src/stores/redis/redis-store.ts';
import { dynamoDBAdmin, dynamoDBStore, type DynamoDBStoreOptions } from 'batchlatch/dynamodb';
import type { MemoryStore } from 'batchlatch/memory';
import { postgresAdmin, postgresStore, type PostgresStoreOptions } from 'batchlatch/postgres';
import { redisAdmin, redisStore, type RedisStoreOptions } from 'batchlatch/redis';

/** A store that is its own admin, as the one in memory is: tests make claims and look at them. */
export type StoreAndAdmin = MemoryStore;

export function inDynamoDB(options: DynamoDBStoreOptions = {}): StoreAndAdmin {
  return { ...dynamoDBAdmin(options), ...dynamoDBStore(options) };
}

export function inPostgres(options: PostgresStoreOptions): StoreAndAdmin {
  return { ...postgresAdmin(options), ...postgresStore(options) };
}

export function inRedis(options: RedisStoreOptions): StoreAndAdmin {
  return { ...redisAdmin(options), ...redisStore(options) };
}

/** By a clock of the test, in place of the server's too. */
export function redisByClock(options: RedisStoreOptions, clock: Pick<ManualClock, 'now'>): StoreAndAdmin {
  const clocks = { clock, serverNow: clock.now };
  return { ...redisAdminBy(options, clocks), ...redisStoreBy(options, clocks) };
}

/** For the conformance suite: the store that `create` made is the admin too. */
export function itself(_clock: unknown, store: unknown): StoreAndAdmin {
  return store as StoreAndAdmin;
}
