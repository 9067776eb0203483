import { type Connection, connectionOf, textOf } from './connection.ts';
import type { RedisClient } from './redis-client.ts';
import { bounded } from '../../base/bounded.ts';
import { systemClock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { REDIS_QUESTION_MS } from '../../base/limits.ts';
import { unansweredByStore } from '../../claims/store-errors.ts';
import { warn } from '../../base/warn.ts';

/** Settings of one server. A member is absent if the server does not tell this user. */
export interface RedisServer {
  /** `redis_version` or `valkey_version`. */
  readonly version?: string;
  /** `maxmemory-policy`: which keys are deleted when the memory is full. */
  readonly evictionPolicy?: string;
  /** `maxmemory` in bytes; 0: no limit. */
  readonly maxMemoryBytes?: number;
  /** Whether the server writes an append-only file. */
  readonly isAppendOnly?: boolean;
  /** How many replicas are connected at the moment. */
  readonly replicas?: number;
}

/** A setting that is unsafe for claims. */
export interface RedisProblem {
  /** `BATCHLATCH_EVICTION`: the server may delete claims when its memory is full. */
  readonly code: 'BATCHLATCH_EVICTION';
  /** The problem, and how to solve it. */
  readonly message: string;
}

/** The result of `checkRedis()`. */
export interface RedisCheck {
  /** The settings of each primary. */
  readonly servers: readonly RedisServer[];
  /** Empty if the servers report no unsafe setting. */
  readonly problems: readonly RedisProblem[];
}

/**
 * Checks whether the settings of a server, or of each primary of a cluster, are safe for claims. It writes
 * nothing, needs the command INFO, and leaves out what the user may not read. Rejects if no server can be
 * reached.
 *
 * @param client The client of the store.
 */
export async function checkRedis(client: RedisClient): Promise<RedisCheck> {
  const primaries = await boundedConnection(connectionOf(client)).primaries();
  const servers = await Promise.all(primaries.map(serverBehind));
  return { servers, problems: servers.flatMap(problemsOf) };
}

/** A node that takes writes, with any client. */
export interface RedisPrimary {
  /**
   * Sends a command to this node. Rejects with the client's error, or after 10 seconds without an answer.
   *
   * @param command The command and its arguments, such as `['config', 'get', 'save']`.
   */
  send(command: readonly string[]): Promise<unknown>;
}

/**
 * Returns the primaries of a cluster, or the one server of a client, to read settings of the servers that
 * `checkRedis` does not cover.
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
  const primaries = await boundedConnection(connectionOf(client)).primaries();
  return primaries.map(({ send }) => ({ send: (command) => send(undefined, [...command]) }));
}

const checked = new WeakSet<object>();

/** Emits a process warning if a server may evict claims. Asks once for each client, in the background. */
export function warnOfEviction(client: RedisClient, connection: Connection): void {
  if (checked.has(client)) return;
  checked.add(client);
  void warnIfEvicting(client, connection).catch(() => undefined); // no warning if the server does not say
}

async function warnIfEvicting(client: RedisClient, connection: Connection): Promise<void> {
  const primaries = await connection.primaries();
  if (primaries.length === 0) checked.delete(client); // the client of a cluster does not know its nodes yet
  for (const primary of primaries) {
    const [problem] = problemsOf(await serverBehind(primary));
    if (problem === undefined) continue;
    warn(problem.code, problem.message);
    return;
  }
}

function problemsOf({ evictionPolicy }: RedisServer): RedisProblem[] {
  if (evictionPolicy === undefined || evictionPolicy === 'noeviction') return [];
  return [
    {
      code: 'BATCHLATCH_EVICTION',
      message:
        `Redis deletes keys when its memory is full (maxmemory-policy \`${evictionPolicy}\`): ` +
        'claims would be forgotten, and their work repeated. Set `maxmemory-policy noeviction`.',
    },
  ];
}

async function serverBehind(primary: Connection): Promise<RedisServer> {
  const info = infoIn(textOf(await primary.send(undefined, ['info'])));
  const read = <Value>(name: string, valueOf: (text: string) => Value): Value | undefined => {
    const text = info.get(name);
    return text === undefined ? undefined : valueOf(text);
  };
  return defined({
    version: info.get('valkey_version') ?? info.get('redis_version'),
    evictionPolicy: info.get('maxmemory_policy'),
    maxMemoryBytes: read('maxmemory', Number),
    isAppendOnly: read('aof_enabled', (text) => text === '1'),
    replicas: read('connected_slaves', Number),
  });
}

/** Returns the fields of all sections of INFO. */
function infoIn(text: string): ReadonlyMap<string, string> {
  const info = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) info.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return info;
}

const QUESTION = { ms: REDIS_QUESTION_MS };

/** Limits calls to 10 seconds: clients keep commands while they are not connected. */
function boundedConnection(connection: Connection): Connection {
  const limits = { send: QUESTION, primaries: QUESTION };
  const limited = bounded(connection, limits, unansweredByStore, systemClock);
  return {
    ...connection,
    ...limited,
    primaries: async () => (await limited.primaries()).map(boundedConnection),
  };
}
