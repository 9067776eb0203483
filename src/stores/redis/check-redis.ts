import { type Connection, connectionOf, textOf } from './connection.ts';
import type { RedisClient } from './redis-client.ts';
import { bounded } from '../../base/bounded.ts';
import { systemClock } from '../../base/clock.ts';
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
  const version = info.get('valkey_version') ?? info.get('redis_version');
  const evictionPolicy = info.get('maxmemory_policy');
  const maxMemoryBytes = info.get('maxmemory');
  const isAppendOnly = info.get('aof_enabled');
  const replicas = info.get('connected_slaves');
  return {
    ...(version !== undefined && { version }),
    ...(evictionPolicy !== undefined && { evictionPolicy }),
    ...(maxMemoryBytes !== undefined && { maxMemoryBytes: Number(maxMemoryBytes) }),
    ...(isAppendOnly !== undefined && { isAppendOnly: isAppendOnly === '1' }),
    ...(replicas !== undefined && { replicas: Number(replicas) }),
  };
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

/**
 * A connection each of whose answers comes within 10 seconds, or an error: a client may keep commands for as long as it is not
 * connected. For questions to servers; calls about claims have bounds of their own (`engineStore`).
 */
export function boundedConnection(connection: Connection): Connection {
  const limits = { send: QUESTION, primaries: QUESTION };
  const limited = bounded(connection, limits, unansweredByStore, systemClock);
  return {
    ...connection,
    ...limited,
    primaries: async () => (await limited.primaries()).map(boundedConnection),
  };
}
