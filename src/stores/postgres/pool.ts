import { aClient, type Check, objectWith } from '../../options/check-options.ts';

/** A statement with its parameters, as `pg` takes it. */
export interface SqlStatement {
  /**
   * The name by which the session remembers it, where it is to be prepared. Default: no session has to
   * remember it.
   */
  readonly name?: string;
  /** With `$1`, `$2` … where the values go. */
  readonly text: string;
  /** The values, in the order of their numbers. */
  readonly values: unknown[];
}

/** The answer to a statement. */
export interface SqlAnswer {
  /** The rows, with their columns by name. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /**
   * How many rows the statement wrote. If it is not the number that was asked for, or missing, the store
   * reads the rows.
   */
  readonly rowCount?: number | null | undefined;
}

/** A connection that takes statements: a `Client` of `pg`, or one of its pool. */
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
   * Listens for failures of the connection outside of statements; without a listener, such an event ends
   * the process.
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
 * The part of a `Pool` of `pg` that the store uses. Sessions keep no state between statements, except
 * prepared statements if enabled, so that a proxy may share connections: RDS Proxy, or PgBouncer in
 * transaction mode.
 *
 * @typeParam Client The kind of connection that it lends.
 */
export interface PostgresPool<Client extends PostgresClient = PostgresClient> {
  /** Lends a connection. */
  connect(): Promise<Client>;
}

/** Checks the option `pool`. */
export const aPool: Check = aClient(
  'a `Pool` of `pg`, or an object with the same connect()',
  objectWith('connect').accepts,
);
