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
import { alikeRowsStore } from './alike-rows.ts';
import { noOutcome } from '../rows/row-writer.ts';
import { connectionOf, isRedisClient } from './connection.ts';
import { keyNames } from './key-names.ts';
import type { RedisClient } from './redis-client.ts';
import { replicationOf, type WaitOptions } from './replication.ts';
import { readRows, WRITES_PER_SCRIPT } from './row-writer.ts';
import { claimOf } from './row.ts';
import { type RedisRows, scriptCaller } from './script-caller.ts';
import { warnOfEviction } from './check-redis.ts';

/** Options of `redisStore()`. */
export interface RedisStoreOptions {
  /** A client or cluster of `ioredis` or `redis` (node-redis); node-redis must be connected. */
  readonly client: RedisClient;
  /** The prefix of the names of claims in Redis, without braces. Default `batchlatch:`. */
  readonly prefix?: string;
  /**
   * The number of slots of a cluster that hold the claims, from 1 to 1,024. A batch needs a script call for
   * each of its slots. Another number changes the names of claims, so existing ones are no longer found.
   * Default: 16 for the client of a cluster, none for other clients.
   */
  readonly slots?: number;
  /**
   * How long past its lease a claim is not taken over, in milliseconds, in case a replica with a clock that
   * is ahead becomes the primary. Default 0.
   */
  readonly clockToleranceMs?: number;
  /** Waits after each write until replicas have it: a failover loses fewer. Default: does not wait. */
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
/** Results stay in the memory of Redis until they are forgotten. Longer ones need `resultsIn`. */
export const MAX_RESULT_BYTES = 1_048_576;
/** The most rows of one script. */
export const REQUEST_SIZE: number = WRITES_PER_SCRIPT;

type RedisStore = ClaimStore & Required<Pick<ClaimStore, 'start' | 'requestSize' | 'maxResultBytes'>>;

/**
 * Creates a store that keeps claims in Redis or Valkey. A failover may lose the latest claims, because Redis
 * replicates after it has answered, and an eviction policy other than `noeviction` may lose any claim: see
 * docs/stores/redis.md. Throws a `ConfigurationError` for options that cannot work.
 *
 * @param options The client and the place of the claims.
 *
 * @example
 * createBatchProcessor(handler, { store: redisStore({ client: new Redis('redis://127.0.0.1:6379') }) });
 */
export function redisStore(options: RedisStoreOptions): ClaimStore {
  return redisStoreBy(options, {});
}

/** Clocks that tests replace. */
export interface Clocks {
  /** The clock of this machine. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Replaces the server's time. */
  readonly serverNow?: () => number;
}

/** Creates a store with other clocks, for tests. */
export function redisStoreBy(options: RedisStoreOptions, clocks: Clocks): RedisStore {
  const rows = rowsOf('redisStore', options, clocks);
  const { client, prefix = DEFAULT_PREFIX } = options;
  const { clock, clockToleranceMs, names } = rows;
  const call = scriptCaller(rows);
  const relative = alikeRowsStore(call, clockToleranceMs);
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

/** Returns the rows of the options. Throws a `ConfigurationError` that names the factory. */
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

/** Returns the claim of a key; undefined if there is none, or its retention is over by the server's time. */
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

/**
 * Converts the times of an outcome, which are relative to the server's, to this machine's clock. A lease that
 * was acquired counts from before the call, so its owner never takes it for longer than it is.
 */
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
