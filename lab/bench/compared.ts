import { type ContenderName, serverOf } from './contenders/index.ts';
import type { Workload } from './workload.ts';

/** The peer, this library and the floor: in every cell. */
export const COMPARED = ['powertools', 'batchlatch', 'floor'] as const satisfies readonly ContenderName[];
/** The same, over TLS. */
export const OVER_TLS = [
  'powertools-tls',
  'batchlatch-tls',
  'floor-tls',
] as const satisfies readonly ContenderName[];
/** What people use. */
export const USED = [
  'batchlatch',
  'powertools',
  'by-hand',
  'middy',
] as const satisfies readonly ContenderName[];
/** In the main cells. */
export const EVERYBODY = [
  'powertools',
  'batchlatch',
  'by-hand',
  'middy',
  'floor',
] as const satisfies readonly ContenderName[];

/** A store with a server of its own, in each way that is measured, and who takes each record by itself there. */
export const ON_SERVERS = {
  postgres: {
    own: ['batchlatch-postgres', 'batchlatch-postgres-prepared'],
    perRecord: 'by-hand-postgres',
    floor: 'floor-postgres',
  },
  redis: {
    own: ['batchlatch-redis', 'batchlatch-ioredis'],
    perRecord: 'powertools-redis',
    floor: 'floor-redis',
  },
} as const satisfies Record<
  string,
  {
    readonly own: readonly ContenderName[];
    readonly perRecord: ContenderName;
    /** The same number of bare statements. */
    readonly floor: ContenderName;
  }
>;
/** This library on every store, and who takes each record by itself on the same server, and the bare statements. */
export const STORES = [
  'batchlatch-memory',
  'batchlatch',
  ...ON_SERVERS.postgres.own,
  ON_SERVERS.postgres.perRecord,
  ON_SERVERS.postgres.floor,
  ...ON_SERVERS.redis.own,
  ON_SERVERS.redis.perRecord,
  ON_SERVERS.redis.floor,
] as const satisfies readonly ContenderName[];

/** Whom a contender's figures are divided by: who takes each record by itself there, or else itself. */
export function perRecordOn(contender: ContenderName): ContenderName {
  const server = serverOf(contender);
  return server === 'postgres' || server === 'redis' ? ON_SERVERS[server].perRecord : contender;
}

/**
 * The cells that everybody takes part in: batches of 10 and of 1,000 first deliveries, and what else arrives in
 * batches of 10.
 */
export function isMain({ size, handlerMs, mix }: Workload): boolean {
  return mix === 'first' ? size === 10 || size === 1_000 : size === 10 && handlerMs === 0;
}
