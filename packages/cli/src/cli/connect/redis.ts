import type { RedisClient } from 'batchlatch/redis';
import { CliError, UsageError } from '../cli-error.ts';
import type { Context } from '../context.ts';
import type { ProcessIo } from '../process-io.ts';
import { sentence } from '../../tool-base/known-errors.ts';
import { loadPeer } from './load-peer.ts';

/** The options of Redis; `redis: true`: REDIS_URL names the server. */
export interface RedisOptions {
  readonly redis?: string | true;
  readonly redisCluster?: boolean;
}

interface OpenClient {
  readonly client: RedisClient;
  close(): void;
}

/** Connects to the Redis that the options name, with the project's `ioredis` or `redis`, for `use`. */
export async function withRedis<Result>(
  context: Context,
  { redis, redisCluster = false }: RedisOptions,
  use: (client: RedisClient) => Promise<Result>,
): Promise<Result> {
  const url = urlOf(redis, context.env);
  const { client, close } = await openRedis(
    loadPeer(['ioredis', 'redis']),
    url,
    redisCluster,
    context.signal,
  );
  try {
    return await use(client);
  } finally {
    close();
  }
}

/**
 * Connects with a client of this package. Its commands fail while the server is silent or gone, and succeed
 * when it is back: a console stays open for days.
 */
export function openRedis(
  { name, module }: ReturnType<typeof loadPeer>,
  url: string,
  isCluster: boolean,
  signal: AbortSignal,
): Promise<OpenClient> {
  return name === 'ioredis'
    ? openIoRedis(module as IoRedis, url, isCluster, signal)
    : openNodeRedis(module as NodeRedis, url, isCluster, signal);
}

/** Reads the option, then REDIS_URL. The URL may hold a password: never print it. */
function urlOf(redis: string | true | undefined, env: ProcessIo['env']): string {
  const url = typeof redis === 'string' ? redis : (env['REDIS_URL'] ?? '');
  if (/^rediss?:\/\//.test(url) && URL.canParse(url)) {
    if (isDecodable(new URL(url))) return url;
    throw new UsageError('The user or the password in the URL of Redis has a % of its own: write it as %25.');
  }
  if (url === '') throw new UsageError('No Redis is named: add a URL after --redis, or set REDIS_URL.');
  throw new UsageError(
    typeof redis === 'string'
      ? '--redis takes a URL such as redis://127.0.0.1:6379, or no value: put other arguments before it.'
      : 'REDIS_URL must be a URL such as redis://127.0.0.1:6379.',
  );
}

function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}:${password}`);
    return true;
  } catch {
    return false;
  }
}

const CONNECT_WITHIN_MS = 5_000;
/** A command reads one page, or changes some rows. */
const ANSWER_WITHIN_MS = 15_000;
const RECONNECT_AFTER_MS = 500;
const SILENT = `no answer within ${CONNECT_WITHIN_MS / 1_000} seconds`;

interface Connecting {
  on(event: 'error', listener: (error: Error) => void): unknown;
  connect(): Promise<unknown>;
}

interface IoRedisConstructor {
  new (url: string, options: object): Connecting & { disconnect(): void };
  readonly Cluster: new (nodes: readonly string[], options: object) => Connecting & { disconnect(): void };
}

interface IoRedis {
  readonly Redis: IoRedisConstructor;
}

async function openIoRedis(
  { Redis }: IoRedis,
  url: string,
  isCluster: boolean,
  signal: AbortSignal,
): Promise<OpenClient> {
  let isOpen = false;
  const again = (): number | null => (isOpen ? RECONNECT_AFTER_MS : null);
  const options = {
    connectTimeout: CONNECT_WITHIN_MS,
    commandTimeout: ANSWER_WITHIN_MS,
    maxRetriesPerRequest: 0, // a person waits, and nothing is to be sent twice
    retryStrategy: again,
  };
  const { protocol, username, password } = new URL(url);
  const ofNodes = {
    ...options,
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  };
  const client = isCluster
    ? new Redis.Cluster([url], { lazyConnect: true, clusterRetryStrategy: again, redisOptions: ofNodes })
    : new Redis(url, { ...options, lazyConnect: true });
  const close = (): void => client.disconnect();
  await connected(client, isCluster, close, signal);
  isOpen = true;
  return { client: client as unknown as RedisClient, close };
}

interface NodeRedisLike extends Connecting {
  destroy?(): void;
  disconnect?(): unknown;
}

interface NodeRedis {
  createClient(options: object): NodeRedisLike;
  createCluster(options: object): NodeRedisLike;
}

async function openNodeRedis(
  module: NodeRedis,
  url: string,
  isCluster: boolean,
  signal: AbortSignal,
): Promise<OpenClient> {
  let isOpen = false;
  const socket = {
    connectTimeout: CONNECT_WITHIN_MS,
    // The client has no limit for a command. One that is idle for so long connects again, at once.
    socketTimeout: ANSWER_WITHIN_MS,
    reconnectStrategy: (tries: number): number | false =>
      isOpen ? Math.min(tries, 1) * RECONNECT_AFTER_MS : false,
  };
  const { username, password } = new URL(url);
  const client = isCluster
    ? module.createCluster({
        rootNodes: [{ url, socket }],
        defaults: {
          socket,
          disableOfflineQueue: true,
          ...(username !== '' && { username: decodeURIComponent(username) }),
          ...(password !== '' && { password: decodeURIComponent(password) }),
        },
      })
    : module.createClient({ url, socket, disableOfflineQueue: true });
  // node-redis 4 has `disconnect()` instead of `destroy()`.
  const close = (): void => void (client.destroy?.() ?? client.disconnect?.());
  await connected(client, isCluster, close, signal);
  isOpen = true;
  return { client: client as unknown as RedisClient, close };
}

/**
 * Connects. Only the `error` event has the cause of a failure; the rejection says that it is closed. The
 * clients limit how long the socket takes, and not how long the server takes to greet.
 */
async function connected(
  client: Connecting,
  isCluster: boolean,
  close: () => void,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  let trouble: Error | undefined;
  client.on('error', (error) => {
    trouble ??= error;
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_WITHIN_MS)]);
  const silence = new Promise<never>((_resolve, reject) => {
    limit.addEventListener('abort', () => reject(new Error(SILENT)));
  });
  try {
    await Promise.race([client.connect(), silence]);
  } catch (error) {
    if (limit.aborted) close();
    throw new CliError(whyNotConnected(trouble ?? error, isCluster), { cause: error });
  }
}

function whyNotConnected(trouble: unknown, isCluster: boolean): string {
  const { code, message } = trouble as Partial<NodeJS.ErrnoException>;
  const why = message === undefined || message === '' ? String(code) : message;
  if (/WRONGPASS|NOAUTH|NOPERM/.test(why)) {
    return `Redis does not let the user in: ${sentence(why)} Check the user and the password in the URL.`;
  }
  if (code === 'ECONNRESET' || /Protocol error|Socket closed/i.test(why)) {
    return `The server is not Redis, or requires TLS (${why}): check the port, and use rediss:// for TLS.`;
  }
  if (/^E[A-Z_]+$/.test(code ?? '') || why === SILENT)
    return `Redis does not answer (${why}): check the host and the port.`;
  if (isCluster) {
    return (
      `The Redis cluster does not answer: ${sentence(why)} Check the ` +
      'URL. For a single server, leave --redis-cluster out.'
    );
  }
  return `Redis cannot be used: ${sentence(why)}`;
}
