import { dynamoDBAdapter } from './dynamodb.ts';
import { memoryAdapter } from './memory.ts';
import { postgresAdapter } from './postgres.ts';
import { redisAdapter } from './redis.ts';
import type { StoreAdapter } from './replayed-store.ts';

export const storeNames = ['memory', 'dynamodb', 'postgres', 'redis'] as const;
export type StoreName = (typeof storeNames)[number];

/** Starts what a store needs. */
export const adapters: Readonly<Record<StoreName, () => Promise<StoreAdapter>>> = {
  memory: async () => memoryAdapter(),
  dynamodb: dynamoDBAdapter,
  postgres: postgresAdapter,
  redis: redisAdapter,
};
