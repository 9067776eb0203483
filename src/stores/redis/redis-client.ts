/**
 * The members of an `ioredis` client (`new Redis(…)`) that the store uses. The package is not imported, so
 * any version with these members works.
 */
export interface IoRedisClient {
  /**
   * Sends a command.
   *
   * @param command The name of the command.
   * @param args Its arguments.
   */
  call(command: string, args: string[]): Promise<unknown>;
  /**
   * Prepares commands that are sent together on one connection.
   *
   * @param commands The commands, each with its name first.
   */
  pipeline(commands: unknown[][]): {
    /** Sends the commands. Resolves with an error or a result for each. */
    exec(): Promise<[error: Error | null, result: unknown][] | null>;
  };
  /** The state of the connection, such as `ready`. */
  readonly status: string;
  /** The options of the client. */
  readonly options: object;
}

/** The members of an `ioredis` cluster (`new Redis.Cluster(…)`) that the store uses. */
export interface IoRedisCluster extends IoRedisClient {
  /** Distinguishes it from a client of one server. */
  readonly isCluster: true;
  /**
   * Returns a client for each node.
   *
   * @param role Limits them to nodes that take writes.
   */
  nodes(role: 'master'): IoRedisClient[];
}

/** The members of a node-redis (`redis` on npm) client or pool that the store uses. */
export interface NodeRedisClient {
  /**
   * Sends a command.
   *
   * @param args The command and its arguments.
   */
  sendCommand(args: string[]): Promise<unknown>;
  /** Whether the client is connected or connecting. */
  readonly isOpen: boolean;
}

/** The members of a node-redis cluster (`createCluster(…)`) that the store uses. */
export interface NodeRedisCluster {
  /**
   * Sends a command to the node of a key.
   *
   * @param firstKey The key whose slot selects the node.
   * @param isReadonly Whether a replica may answer.
   * @param args The command and its arguments.
   */
  sendCommand(
    firstKey: string | undefined,
    isReadonly: boolean | undefined,
    args: string[],
  ): Promise<unknown>;
  /** Whether the client is connected or connecting. */
  readonly isOpen: boolean;
  /** The nodes that take writes. */
  readonly masters: readonly {
    /** Host and port. */
    readonly address: string;
  }[];
  /** The nodes of each slot. */
  readonly slots: readonly {
    /** The node that takes writes: one of `masters`. */
    readonly master: object;
  }[];
  /**
   * Returns a client for one node.
   *
   * @param node One of `masters`.
   */
  nodeClient(node: never): unknown;
}

/** The members of a node-redis sentinel client (`createSentinel(…)`) that the store uses. */
export interface NodeRedisSentinel {
  /**
   * Sends a command to the master.
   *
   * @param isReadonly Whether a replica may answer.
   * @param args The command and its arguments.
   */
  sendCommand(isReadonly: boolean | undefined, args: string[]): Promise<unknown>;
  /** Whether the client is connected or connecting. */
  readonly isOpen: boolean;
  /** The node that takes writes; undefined while there is none. */
  getMasterNode(): unknown;
}

/** A client of `ioredis` or of node-redis (`redis` on npm), recognized by its members. */
export type RedisClient =
  | IoRedisClient
  | IoRedisCluster
  | NodeRedisClient
  | NodeRedisCluster
  | NodeRedisSentinel;
