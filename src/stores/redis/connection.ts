import { hasMoved } from './failures.ts';
import { hashSlot } from './hash-slot.ts';
import type {
  IoRedisClient,
  IoRedisCluster,
  NodeRedisClient,
  NodeRedisCluster,
  RedisClient,
} from './redis-client.ts';

/** The outcome of one of two commands that were sent together. */
export type Sent = PromiseSettledResult<unknown>;

/** A client of Redis, whichever package it is from. */
export interface Connection {
  readonly isCluster: boolean;
  /** The address of a node, by which nodes are sorted. */
  readonly name: string;
  /** The prefix that the client adds to every key of a command. */
  readonly keyPrefix: string;
  /** Sends a command to the node of the key, or to any node if there is no key. */
  send(key: string | undefined, args: string[]): Promise<unknown>;
  /** Sends two commands in a row on one connection to the node of the key. Absent if the client cannot. */
  readonly sendBoth?: (key: string, first: string[], second: string[]) => Promise<readonly [Sent, Sent]>;
  /** Returns a connection to each node that takes writes. */
  primaries(): Promise<readonly Connection[]>;
}

export function connectionOf(client: RedisClient): Connection {
  if ('call' in client && 'pipeline' in client) {
    return isIoRedisCluster(client) ? ofIoRedisCluster(client) : ofIoRedis(client);
  }
  if ('masters' in client && 'nodeClient' in client) return ofNodeRedisCluster(client);
  if ('getMasterNode' in client) return ofServer({ send: (_key, args) => client.sendCommand(false, args) });
  return ofNodeRedis(client);
}

/** Returns an answer as text: clients can be set to return buffers. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}

export function isRedisClient(value: unknown): value is RedisClient {
  if (typeof value !== 'object' || value === null) return false;
  const { call, pipeline, sendCommand } = value as Readonly<Record<string, unknown>>;
  const isOfIoRedis = typeof call === 'function' && typeof pipeline === 'function';
  return isOfIoRedis || (typeof sendCommand === 'function' && 'isOpen' in value);
}

function isIoRedisCluster(client: IoRedisClient): client is IoRedisCluster {
  return 'isCluster' in client && client.isCluster === true;
}

/** Returns the connection of a single server, which is its only primary. */
function ofServer(parts: Pick<Connection, 'send'> & Partial<Connection>): Connection {
  const connection: Connection = {
    isCluster: false,
    name: '',
    keyPrefix: '',
    primaries: async () => [connection],
    ...parts,
  };
  return connection;
}

function ofIoRedis(client: IoRedisClient): Connection {
  const { host, port } = client.options as { readonly host?: unknown; readonly port?: unknown };
  return ofServer({
    name: `${String(host)}:${String(port)}`,
    keyPrefix: prefixOf(client),
    send: (_key, [command = '', ...args]) => client.call(command, args),
    sendBoth: (_key, first, second) => pipelined(client, first, second),
  });
}

function ofIoRedisCluster(client: IoRedisCluster): Connection {
  return {
    isCluster: true,
    name: '',
    keyPrefix: prefixOf(client),
    // ioredis finds the key of a command by itself.
    send: (_key, [command = '', ...args]) => client.call(command, args),
    sendBoth: (key, first, second) =>
      toNodeOf(
        () => pipelined(client, first, second),
        () => client.call('exists', [key]),
      ),
    primaries: async () => client.nodes('master').map((node) => ofIoRedis(node)),
  };
}

function prefixOf({ options }: IoRedisClient): string {
  const { keyPrefix } = options as { readonly keyPrefix?: unknown };
  return typeof keyPrefix === 'string' ? keyPrefix : '';
}

async function pipelined(client: IoRedisClient, first: string[], second: string[]): Promise<[Sent, Sent]> {
  const answers = await client.pipeline([first, second]).exec();
  return [sentOf(answers?.[0]), sentOf(answers?.[1])];
}

function sentOf(answer: [error: Error | null, result: unknown] | undefined): Sent {
  const [reason, value] = answer ?? [new Error('The pipeline gave no answer'), undefined];
  return reason === null ? { status: 'fulfilled', value } : { status: 'rejected', reason };
}

function ofNodeRedis(client: NodeRedisClient, name = ''): Connection {
  return ofServer({
    name,
    send: (_key, args) => client.sendCommand(args),
    // A pool may use a different connection for each command.
    ...(!('execute' in client) && {
      sendBoth: (_key, first, second) =>
        Promise.allSettled([client.sendCommand(first), client.sendCommand(second)]),
    }),
  });
}

function ofNodeRedisCluster(client: NodeRedisCluster): Connection {
  return {
    isCluster: true,
    name: '',
    keyPrefix: '',
    send: (key, args) => client.sendCommand(key, false, args),
    // By the node's own client: the cluster's sends WAIT to all nodes, and follows a moved slot without it.
    sendBoth: (key, first, second) =>
      toNodeOf(
        async () => {
          const node = client.slots[hashSlot(key)]?.master;
          if (node === undefined) throw new Error('CLUSTERDOWN Hash slot not served');
          const own = (await client.nodeClient(node as never)) as NodeRedisClient;
          return Promise.allSettled([own.sendCommand(first), own.sendCommand(second)]);
        },
        () => client.sendCommand(key, false, ['exists', key]),
      ),
    primaries: async () =>
      Promise.all(
        client.masters.map(async (node) =>
          ofNodeRedis((await client.nodeClient(node as never)) as NodeRedisClient, node.address),
        ),
      ),
  };
}

/**
 * Sends two commands to the node of a key. If its slot has moved, `find` has the client learn the new node:
 * clients follow single commands, but no pairs.
 */
async function toNodeOf(
  send: () => Promise<readonly [Sent, Sent]>,
  find: () => Promise<unknown>,
): Promise<readonly [Sent, Sent]> {
  const sent = await send();
  const [first] = sent;
  if (first.status === 'fulfilled' || !hasMoved(first.reason)) return sent;
  await find();
  return send();
}
