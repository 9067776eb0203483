import { type Connection, connectionOf, textOf } from './connection.ts';
import type { RedisClient } from './redis-client.ts';
import { bounded } from '../../base/bounded.ts';
import { systemClock } from '../../base/clock.ts';
import { defined } from '../../base/defined.ts';
import { REDIS_QUESTION_MS } from '../../base/limits.ts';
import { unansweredByStore } from '../../claims/store-errors.ts';

/** What was found of one server. Undefined is what it does not tell this user. */
export interface RedisServer {
  /** `redis_version` or `valkey_version`. */
  readonly version?: string;
  /** `maxmemory-policy`: what is deleted when the memory is full. */
  readonly evictionPolicy?: string;
  /** `maxmemory` in bytes; 0: no bound. */
  readonly maxMemoryBytes?: number;
  /** Whether it writes an append-only file. */
  readonly isAppendOnly?: boolean;
  /** How many replicas it has at the moment. */
  readonly replicas?: number;
}

/** Something that does not fit claims. */
export interface RedisProblem {
  /** `BATCHLATCH_EVICTION`: the server may delete claims when its memory is full. */
  readonly code: 'BATCHLATCH_EVICTION';
  /** What is wrong, and what to do. */
  readonly message: string;
}

/** What `checkRedis()` found. */
export interface RedisCheck {
  /** Each primary. */
  readonly servers: readonly RedisServer[];
  /** None, as far as the servers tell. */
  readonly problems: readonly RedisProblem[];
}

/**
 * Looks at whether the settings of a Redis, or of each primary of a cluster, fit claims. It writes nothing, and needs the
 * command INFO; what the user may not ask is left out. Rejects where no server can be reached.
 *
 * @param client The client that the store is given.
 */
export async function checkRedis(client: RedisClient): Promise<RedisCheck> {
  const primaries = await boundedConnection(connectionOf(client)).primaries();
  const servers = await Promise.all(primaries.map(serverBehind));
  return { servers, problems: servers.flatMap(problemsOf) };
}

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
  const primaries = await boundedConnection(connectionOf(client)).primaries();
  return primaries.map(({ send }) => ({ send: (command) => send(undefined, [...command]) }));
}

const checked = new WeakSet<object>();

/** Once for each client, in the background: a server that evicts is said as a process warning. */
export function warnOfEviction(client: RedisClient, connection: Connection): void {
  if (checked.has(client)) return;
  checked.add(client);
  void warnIfEvicting(client, connection).catch(() => undefined); // a server that does not tell is none that evicts
}

async function warnIfEvicting(client: RedisClient, connection: Connection): Promise<void> {
  const primaries = await connection.primaries();
  if (primaries.length === 0) checked.delete(client); // the client of a cluster does not know its nodes yet
  for (const primary of primaries) {
    const [problem] = problemsOf(await serverBehind(primary));
    if (problem === undefined) continue;
    process.emitWarning(problem.message, { type: 'BatchlatchWarning', code: problem.code });
    return;
  }
}

function problemsOf({ evictionPolicy }: RedisServer): RedisProblem[] {
  if (evictionPolicy === undefined || evictionPolicy === 'noeviction') return [];
  return [
    {
      code: 'BATCHLATCH_EVICTION',
      message:
        `Redis deletes keys when its memory is full (maxmemory-policy \`${evictionPolicy}\`): claims would be forgotten, and their work done ` +
        'again. Set `maxmemory-policy noeviction`.',
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

/** The fields of INFO, of all its sections. */
function infoIn(text: string): ReadonlyMap<string, string> {
  const info = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) info.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return info;
}

const QUESTION = { ms: REDIS_QUESTION_MS };

/** A connection whose answers come within 10 seconds, or an error: a client may keep commands while it is not connected. */
function boundedConnection(connection: Connection): Connection {
  const limits = { send: QUESTION, primaries: QUESTION };
  const limited = bounded(connection, limits, unansweredByStore, systemClock);
  return {
    ...connection,
    ...limited,
    primaries: async () => (await limited.primaries()).map(boundedConnection),
  };
}
