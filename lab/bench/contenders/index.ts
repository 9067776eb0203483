import type { MakeBatchHandler } from './contender.ts';

/** Who takes part, by the name in figures. Loaded one at a time: no library runs in another's process. */
export const contenders = {
  /** As users get it: default log, its own transport. */
  batchlatch: async () => (await import('./batchlatch.ts')).batchlatch,
  /** The same, and others, with TLS between them and the emulator, as in AWS. */
  'batchlatch-tls': async () => (await import('./batchlatch.ts')).batchlatch,
  'powertools-tls': async () => (await import('./powertools.ts')).powertools,
  'floor-tls': async () => (await import('./floor.ts')).floor,
  'batchlatch-silent': async () => (await import('./batchlatch.ts')).batchlatchSilent,
  'batchlatch-sdk-client': async () => (await import('./batchlatch.ts')).batchlatchSdkClient,
  'batchlatch-memory': async () => (await import('./batchlatch.ts')).batchlatchMemory,
  'batchlatch-memory-silent': async () => (await import('./batchlatch.ts')).batchlatchMemorySilent,
  'batchlatch-memory-schema': async () => (await import('./batchlatch-routes.ts')).batchlatchMemorySchema,
  'batchlatch-memory-routes': async () => (await import('./batchlatch-routes.ts')).batchlatchMemoryRoutes,
  'batchlatch-postgres': async () => (await import('./batchlatch-postgres.ts')).batchlatchPostgres,
  'batchlatch-postgres-prepared': async () =>
    (await import('./batchlatch-postgres.ts')).batchlatchPostgresPrepared,
  'batchlatch-redis': async () => (await import('./batchlatch-redis.ts')).batchlatchRedis,
  'batchlatch-ioredis': async () => (await import('./batchlatch-redis.ts')).batchlatchIoredis,
  powertools: async () => (await import('./powertools.ts')).powertools,
  'powertools-own-client': async () => (await import('./powertools.ts')).powertoolsOwnClient,
  'powertools-memory': async () => (await import('./powertools.ts')).powertoolsMemory,
  'powertools-redis': async () => (await import('./powertools-redis.ts')).powertoolsRedis,
  'by-hand': async () => (await import('./by-hand.ts')).byHand,
  'by-hand-postgres': async () => (await import('./by-hand-postgres.ts')).byHandPostgres,
  middy: async () => (await import('./middy.ts')).middy,
  floor: async () => (await import('./floor.ts')).floor,
  'floor-single': async () => (await import('./floor.ts')).floorSingle,
  'floor-postgres': async () => (await import('./floor-stores.ts')).floorPostgres,
  'floor-redis': async () => (await import('./floor-stores.ts')).floorRedis,
} as const satisfies Record<string, () => Promise<MakeBatchHandler>>;

export type ContenderName = keyof typeof contenders;

/** What keeps a contender's claims outside its process. */
export type ServerName = 'dynamodb' | 'dynamodb-tls' | 'postgres' | 'redis';

/** Whether a contender keeps its claims in DynamoDB, by whatever way. */
export function usesDynamoDB(contender: ContenderName): boolean {
  const server = serverOf(contender);
  return server === 'dynamodb' || server === 'dynamodb-tls';
}

/** Undefined for those that keep claims in memory. */
export function serverOf(contender: ContenderName): ServerName | undefined {
  if (contender.includes('memory')) return undefined;
  if (contender.endsWith('-tls')) return 'dynamodb-tls';
  if (contender.includes('postgres')) return 'postgres';
  return contender.endsWith('redis') ? 'redis' : 'dynamodb';
}
