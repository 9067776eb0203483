/**
 * What the store needs of `ioredis`: `new Redis(…)`, or `new Redis.Cluster(…)`. No import of it: any version with these members
 * fits.
 */
export interface IoRedisClient {
  /**
   * Sends a command by its name.
   *
   * @param command The command's name.
   * @param args Its arguments.
   */
  call(command: string, args: string[]): Promise<unknown>;
  /**
   * Commands that are sent together on one connection.
   *
   * @param commands Each with its name first.
   */
  pipeline(commands: unknown[][]): {
    /** Sends them. Resolves with an error or a result for each. */
    exec(): Promise<[error: Error | null, result: unknown][] | null>;
  };
  /** Such as `ready`. */
  readonly status: string;
  /** What it was made with. */
  readonly options: object;
}

/** The same of a cluster of `ioredis`. */
export interface IoRedisCluster extends IoRedisClient {
  /** Tells it apart from a client of one server. */
  readonly isCluster: true;
  /**
   * A client for each node.
   *
   * @param role Only those that take writes.
   */
  nodes(role: 'master'): IoRedisClient[];
}

/** What the store needs of node-redis (`redis` on npm): `createClient(…)`, or `createClientPool(…)`. */
export interface NodeRedisClient {
  /**
   * Sends a command as it is.
   *
   * @param args The command and its arguments.
   */
  sendCommand(args: string[]): Promise<unknown>;
  /** Whether it is connected, or tries to be. */
  readonly isOpen: boolean;
}

/** The same of `createCluster(…)`. */
export interface NodeRedisCluster {
  /**
   * Sends a command to the node that has a key.
   *
   * @param firstKey The key by whose slot the node is chosen.
   * @param isReadonly Whether a replica may answer.
   * @param args The command and its arguments.
   */
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
  ): Promise<unknown>;
  /** Whether it is connected, or tries to be. */
  readonly isOpen: boolean;
  /** The nodes that take writes. */
  readonly masters: readonly {
    /** Host and port. */
    readonly address: string;
  }[];
  /**
   * A client for one node.
   *
   * @param node One of `masters`.
   */
  nodeClient(node: never): unknown;
}

/** The same of `createSentinel(…)`. */
export interface NodeRedisSentinel {
  /**
   * Sends a command to the master.
   *
   * @param isReadonly Whether a replica may answer.
   * @param args The command and its arguments.
   */
  sendCommand(isReadonly: boolean | undefined, args: string[]): Promise<unknown>;
  /** Whether it is connected, or tries to be. */
  readonly isOpen: boolean;
  /** The node that takes writes; undefined while there is none. */
  getMasterNode(): unknown;
}

/** A client of `ioredis` or of node-redis (`redis` on npm). Which it is shows by its members. */
export type RedisClient =
  | IoRedisClient
  | IoRedisCluster
  | NodeRedisClient
  | NodeRedisCluster
  | NodeRedisSentinel;
