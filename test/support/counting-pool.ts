import type {
  PostgresClient,
  PostgresPool,
  SqlAnswer,
  SqlStatement,
} from '../../src/stores/postgres/pool.ts';

export interface CountingPool extends PostgresPool {
  /** The statements that were sent, as they begin. */
  readonly statements: string[];
}

/** A pool that counts the statements of its connections. */
export function countingPool(pool: PostgresPool): CountingPool {
  const statements: string[] = [];
  return {
    statements,
    async connect(): Promise<PostgresClient> {
      const client = await pool.connect();
      return {
        query(statement: SqlStatement): Promise<SqlAnswer> {
          statements.push(statement.text.trim().slice(0, 40));
          return client.query(statement);
        },
        release: (isBroken) => client.release(isBroken),
      };
    },
  };
}
