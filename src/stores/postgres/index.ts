export { claimsTableSql, type ClaimsTableSqlOptions } from './claims-table-sql.ts';
export { deleteForgottenClaims, type ForgottenClaimsOptions } from './forgotten-claims.ts';
export type { PostgresClient, PostgresPool, SqlAnswer, SqlConnection, SqlStatement } from './pool.ts';
export { postgresStore, type PostgresStoreOptions } from './postgres-store.ts';
