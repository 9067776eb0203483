/**
 * Claims in PostgreSQL, and statements in one transaction with the completion. It takes a pool of `pg`,
 * or what has the same methods.
 *
 * @module batchlatch/postgres
 */
export { inTransaction, type InTransactionOptions } from './in-transaction.ts';
export type { IsolationLevel } from './pool-transactions.ts';
export type { TransactionAdapter, TransactionClient, TransactionRows } from './transaction-adapter.ts';
export { claimsTableSql, type ClaimsTableSqlOptions } from './claims-table-sql.ts';
export { deleteForgottenClaims, type ForgottenClaimsOptions } from './forgotten-claims.ts';
export type { PostgresClient, PostgresPool, SqlAnswer, SqlConnection, SqlStatement } from './pool.ts';
export { postgresStore, type PostgresStoreOptions } from './postgres-store.ts';
export { postgresAdmin, type PostgresAdminOptions } from './postgres-admin.ts';
