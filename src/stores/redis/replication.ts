import { ConfigurationError, StoreError } from '../../base/errors.ts';
import type { Connection, Sent } from './connection.ts';
import { isUnknownCommand, isUnknownScript, toStoreError } from './failures.ts';

/** The copies of a claim that must exist before it counts as written. */
export interface WaitOptions {
  /** How many replicas must have the claim. */
  readonly replicas: number;
  /** How long to wait for them, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Waits until the append-only files of the primary and of these replicas have the claim too (`WAITAOF`,
   * from Redis 7.2). Default false.
   */
  readonly aof?: boolean;
}

/** Sends a command, then waits for copies of all earlier writes of the primary, rows read included. */
export type Replication = (
  connection: Connection,
  key: string,
  command: string[],
) => Promise<{ answer: unknown; isReplicated: boolean }>;

export const unreplicated: Replication = async (connection, key, command) => ({
  answer: await connection.send(key, command),
  isReplicated: true,
});

/** Throws a `ConfigurationError` for a client that cannot wait: `WAIT` is about the connection that wrote. */
export function replicationOf(wait: WaitOptions | undefined, connection: Connection): Replication {
  if (wait === undefined) return unreplicated;
  if (connection.sendBoth === undefined) {
    throw new ConfigurationError(
      'redisStore: `wait` needs a client that writes and waits on one connection, ' +
        'unlike a pool or a sentinel client of node-redis: use createClient or createCluster',
    );
  }
  const { replicas, timeoutMs, aof = false } = wait;
  const waiting = aof
    ? ['waitaof', '1', String(replicas), String(timeoutMs)]
    : ['wait', String(replicas), String(timeoutMs)];

  return async ({ sendBoth }, key, command) => {
    const [script, waited] = await (sendBoth as NonNullable<typeof sendBoth>)(key, command, waiting);
    if (script.status === 'rejected') throw script.reason;
    return { answer: script.value, isReplicated: isEnough(waited, wait) };
  };
}

function isEnough(waited: Sent, { replicas, aof }: WaitOptions): boolean {
  if (waited.status === 'rejected') {
    if (isUnknownCommand(waited.reason)) throw unknownToServer();
    if (isUnknownScript(waited.reason)) return false;
    throw toStoreError(waited.reason);
  }
  const { value } = waited;
  if (aof !== true) return Number(value) >= replicas;
  const [local, remote] = Array.isArray(value) ? value : [];
  return Number(local) >= 1 && Number(remote) >= replicas;
}

function unknownToServer(): StoreError {
  return new StoreError(
    '`wait: { aof: true }` of redisStore needs the command WAITAOF of Redis 7.2 or Valkey, ' +
      'and this server does not have it: omit `aof`.',
    { isRetryable: false, code: 'BATCHLATCH_CONFIGURATION' },
  );
}
