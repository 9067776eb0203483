import type { AcquireOutcome, ClaimStore } from '../../claims/claim-store.ts';
import type { Claim } from '../../claims/claim.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { objectNumber } from '../../claims/pass-on.ts';
import { isForgotten } from '../../claims/transitions.ts';
import {
  aBoolean,
  aClient,
  anInteger,
  type Check,
  checkOptionsOf,
  members,
  required,
} from '../../options/check-options.ts';
import { conditionalStore } from '../rows/conditional-store.ts';
import { noOutcome } from '../rows/row-writer.ts';
import { connectionOf, isRedisClient } from './connection.ts';
import { keyNames } from './key-names.ts';
import type { RedisClient } from './redis-client.ts';
import { replicationOf, type WaitOptions } from './replication.ts';
import { readRows, rowWriter, WRITES_PER_SCRIPT } from './row-writer.ts';
import { claimOf } from './row.ts';
import { type RedisRows, scriptCaller } from './script-caller.ts';
import { warnOfEviction } from './check-redis.ts';

/** Options of `redisStore()`. */
export interface RedisStoreOptions {
  /** A client of `ioredis` or of `redis` (node-redis), also of a cluster; one of node-redis has to be connected. */
  readonly client: RedisClient;
  /** What the names of the claims' keys in Redis begin with, without braces. Default `batchlatch:`. */
  readonly prefix?: string;
  /**
   * Over how many slots of a cluster the claims are spread, from 1 to 1,024; a batch is one script call for each slot that it is
   * about. Another number gives other names, so that what is claimed is forgotten. Default: 16 for the client of a cluster, and
   * none for others.
   */
  readonly slots?: number;
  /**
   * How long past its lease a claim is left alone, for a replica that becomes the primary with a clock that is ahead.
   * Default 0 ms.
   */
  readonly clockToleranceMs?: number;
  /** Waits after each write until replicas have it, so that fewer failovers forget it. Default: no waiting. */
  readonly wait?: WaitOptions;
}

const checks: Readonly<Record<keyof RedisStoreOptions, Check>> = {
  client: aClient('a client of `ioredis` or of `redis` (node-redis)', isRedisClient),
  prefix: {
    expected: 'a text of at most 100 characters, without braces',
    accepts: (value) =>
      typeof value === 'string' && value.length <= 100 && !/[{}]/.test(value) && value.isWellFormed(),
  },
  slots: anInteger(1, 1_024),
  clockToleranceMs: anInteger(0),
  wait: members({ replicas: required(anInteger(0)), timeoutMs: required(anInteger(1)), aof: aBoolean() }),
};

const DEFAULT_PREFIX = 'batchlatch:';
const SLOTS_OF_CLUSTERS = 16;
/** Longer results belong elsewhere (`resultsIn`): they are in the memory of Redis until they are forgotten. */
export const MAX_RESULT_BYTES = 1_048_576;
/** One script writes as many rows. */
export const REQUEST_SIZE: number = WRITES_PER_SCRIPT;

type RedisStore = ClaimStore & Required<Pick<ClaimStore, 'start' | 'requestSize' | 'maxResultBytes'>>;

/**
 * Claims in Redis, or in Valkey. A failover may forget the last claims, because Redis replicates after it has answered, and an
 * eviction policy other than `noeviction` forgets any: see docs/stores/redis.md. Throws a `ConfigurationError` for options that
 * cannot work.
 *
 * @param options The client, and where claims are kept.
 *
 * @example
 * createBatchProcessor(handler, { store: redisStore({ client: new Redis('redis://127.0.0.1:6379') }) });
 */
export function redisStore(options: RedisStoreOptions): ClaimStore {
  return redisStoreBy(options, {});
}

/** Clocks of tests. */
export interface Clocks {
  /** Of this machine. */
  readonly clock?: Pick<Clock, 'now'>;
  /** In place of the server's time. */
  readonly serverNow?: () => number;
}

/** The same by other clocks. */
export function redisStoreBy(options: RedisStoreOptions, clocks: Clocks): RedisStore {
  const rows = rowsOf('redisStore', options, clocks);
  const { client, prefix = DEFAULT_PREFIX } = options;
  const { clock, clockToleranceMs, names } = rows;
  const call = scriptCaller(rows);
  const relative = conditionalStore({ writer: rowWriter(call), clock: { now: () => 0 }, clockToleranceMs });
  return {
    ...relative,
    requestSize: REQUEST_SIZE,
    maxResultBytes: MAX_RESULT_BYTES,
    place: `redis:${objectNumber(client)}:${prefix}:${names.slots}`,
    async acquire(requests, callOptions) {
      warnOfEviction(client, rows.connection);
      const askedAt = clock.now();
      const outcomes = await relative.acquire(requests, callOptions);
      const now = clock.now();
      return outcomes.map((outcome) => inLocalTime(outcome, askedAt, now));
    },
    inspect: (key) => readClaim(key, call),
  };
}

/** The rows of the options. Throws a `ConfigurationError` that names the factory for options that cannot work. */
export function rowsOf(
  factory: string,
  options: RedisStoreOptions,
  { clock = systemClock, serverNow }: Clocks,
): RedisRows {
  checkOptionsOf(factory, options, checks);
  const { client, prefix = DEFAULT_PREFIX, slots, clockToleranceMs = 0, wait } = options;
  const connection = connectionOf(client);
  return {
    connection,
    names: keyNames(prefix, slots ?? (connection.isCluster ? SLOTS_OF_CLUSTERS : 0)),
    clock,
    serverNow,
    clockToleranceMs,
    replication: replicationOf(wait, connection),
  };
}

/** The claim of a key; undefined where there is none, or its retention is over by the server's time. */
export async function readClaim(
  key: string,
  call: ReturnType<typeof scriptCaller>,
): Promise<Claim | undefined> {
  const [read = { status: 'error' as const, error: noOutcome() }] = await readRows([key], call);
  if (read.status === 'error') throw read.error;
  if (read.row === undefined) return undefined;
  // rule: redis-fresh-reads
  const claim = claimOf(read.row, 0);
  return isForgotten(claim, read.row.now) ? undefined : claim;
}

/** The times of an outcome, which are relative to the server's, by this machine's clock. A lease ends no earlier than it says. */
function inLocalTime(outcome: AcquireOutcome, askedAt: number, now: number): AcquireOutcome {
  switch (outcome.status) {
    case 'acquired':
      return { ...outcome, leaseUntil: askedAt + outcome.leaseUntil };
    case 'conflict':
      return { ...outcome, leaseUntil: now + outcome.leaseUntil };
    case 'duplicate': {
      const { completedAt, expiresAt } = outcome;
      return {
        ...outcome,
        ...(completedAt !== undefined && { completedAt: now + completedAt }),
        ...(expiresAt !== undefined && { expiresAt: now + expiresAt }),
      };
    }
    case 'parked':
    case 'mismatch':
    case 'error':
      return outcome;
  }
}
