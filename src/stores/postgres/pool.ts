import { aClient, type Check, objectWith } from '../../options/check-options.ts';

/** A statement with its parameters, as `pg` takes it. */
export interface SqlStatement {
  /** The name by which the session remembers it, where it is to be prepared. Default: no session has to remember it. */
  readonly name?: string;
  /** With `$1`, `$2` … where the values go. */
  readonly text: string;
  /** The values, in the order of their numbers. */
  readonly values: unknown[];
}

/** What a statement gave. */
export interface SqlAnswer {
  /** The rows, with their columns by name. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** What statements can be sent to: a `Client` of `pg`, or one of its pool's. */
export interface SqlConnection {
  /**
   * Sends a statement. Rejects with the database's error.
   *
   * @param statement The statement with its values.
   */
  query(statement: SqlStatement): Promise<SqlAnswer>;
}

/** A connection that a `Pool` of `pg` has lent. */
export interface PostgresClient extends SqlConnection {
  /**
   * Gives it back; `true` closes it.
   *
   * @param isBroken Whether to close it. Default false.
   */
  release(isBroken?: boolean): void;
  /**
   * A connection that fails while no statement is on its way says so by an event, which ends the process if nobody listens.
   *
   * @param event Always `error`.
   * @param listener Gets the connection's error.
   */
  on?(event: 'error', listener: (error: Error) => void): unknown;
  /**
   * The opposite of `on`.
   *
   * @param event Always `error`.
   * @param listener The same function as was given to `on`.
   */
  off?(event: 'error', listener: (error: Error) => void): unknown;
}

/**
 * What is used of a `Pool` of `pg`. Nothing is kept in a session from one statement to the next, but for prepared statements
 * where they are asked for, so that connections may be shared by a proxy: RDS Proxy, or PgBouncer in transaction mode.
 *
 * @typeParam Client The kind of connection that it lends.
 */
export interface PostgresPool<Client extends PostgresClient = PostgresClient> {
  /** Lends a connection. */
  connect(): Promise<Client>;
}

/** What the option `pool` may be. */
export const aPool: Check = aClient(
  'a `Pool` of `pg`, or an object with the same connect()',
  objectWith('connect').accepts,
);
