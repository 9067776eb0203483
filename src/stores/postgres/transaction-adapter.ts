/** A transaction of a query builder or an ORM, for `inTransaction`. */
export interface TransactionAdapter<Client> {
  /**
   * Begins a transaction, runs `body` in it, commits it when `body` resolves, and rolls it back when it rejects. Resolves when the
   * COMMIT is answered.
   */
  transaction<Result>(body: (client: Client) => Promise<Result>): Promise<Result>;
  /** Sends a statement, with `$1`, `$2` … where its values (texts) go, in the transaction that `client` stands for, and gives the rows. */
  query(client: Client, text: string, values: readonly string[]): Promise<readonly unknown[]>;
}

/** What a transaction is to the function in it, where nothing else is said: the connection that the store's pool has lent. */
export interface TransactionClient {
  /** Sends a statement, with `$1`, `$2` … where its values go. */
  query<Row = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<TransactionRows<Row>>;
}

/** What a statement gave. */
export interface TransactionRows<Row> {
  /** With their columns by name. */
  readonly rows: Row[];
  /** How many rows it read or changed. */
  readonly rowCount: number | null;
}
