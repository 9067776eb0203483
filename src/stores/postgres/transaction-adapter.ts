/**
 * A transaction of a query builder or an ORM, for `inTransaction`.
 *
 * @typeParam Client What stands for a transaction, such as the `tx` of an ORM.
 */
export interface TransactionAdapter<Client> {
  /**
   * Begins a transaction, runs `body` in it, commits it when `body` resolves, and rolls it back when it
   * rejects. Resolves when the COMMIT is answered.
   *
   * @typeParam Result What `body` resolves with.
   * @param body Does the work of the transaction.
   */
  transaction<Result>(body: (client: Client) => Promise<Result>): Promise<Result>;
  /**
   * Sends a statement, with `$1`, `$2` … where its values (texts) go, in the transaction that `client`
   * stands for, and gives the rows.
   *
   * @param client What `body` was given.
   * @param text The statement.
   * @param values The values, in the order of their numbers.
   */
  query(client: Client, text: string, values: readonly string[]): Promise<readonly unknown[]>;
}

/** The transaction that `work` gets by default: the connection that the store's pool has lent. */
export interface TransactionClient {
  /**
   * Sends a statement, with `$1`, `$2` … where its values go.
   *
   * @typeParam Row What a row is.
   * @param text The statement.
   * @param values The values, in the order of their numbers. Default: none.
   */
  query<Row = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<TransactionRows<Row>>;
}

/**
 * The answer to a statement.
 *
 * @typeParam Row What a row is.
 */
export interface TransactionRows<Row> {
  /** With their columns by name. */
  readonly rows: Row[];
  /** How many rows it read or changed. */
  readonly rowCount: number | null;
}
