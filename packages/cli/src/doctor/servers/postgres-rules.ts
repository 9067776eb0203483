import type { Rules } from '../rules/rule.ts';

const GRANTS = 'stores/postgres.md#permissions';

/** Rules for claims in PostgreSQL. */
export const POSTGRES_RULES: Rules = {
  'postgres-table-missing': {
    severity: 'error',
    what: 'no claims table of this name in the database, or in its search_path',
    why: 'Every claim is refused, and no record runs.',
    fix: '`npx batchlatch table create --postgres`',
  },
  'postgres-table-columns': {
    severity: 'error',
    what: 'a claims table whose columns or key are not those that this version needs',
    why: 'Statements fail and no record runs, or rows are locked in the wrong order.',
    fix: 'the statements of `npx batchlatch table create --postgres --print`, or the columns that are named',
  },
  'postgres-index-missing': {
    severity: 'warning',
    what: 'a claims table without one of its indexes, or with one that is not valid',
    why: 'Queries for overdue claims and the clean-up read the whole table.',
    fix: '`CREATE INDEX CONCURRENTLY`, as `npx batchlatch table create --postgres --print` shows it',
  },
  'postgres-table-unlogged': {
    severity: 'error',
    what: 'a claims table that is UNLOGGED or temporary',
    why: 'PostgreSQL empties it after a crash, and replicas lack it: completed work runs again.',
    fix: '`ALTER TABLE … SET LOGGED`',
  },
  'postgres-grant-missing': {
    severity: 'error',
    what: 'a role that lacks a right that claims need (a warning where only people and the clean-up need it)',
    why: 'Statements are refused (SQLSTATE 42501), and no record runs.',
    fix: '`GRANT USAGE ON SCHEMA …` and `GRANT SELECT, INSERT, UPDATE ON … TO …`',
    docs: GRANTS,
  },
  'postgres-row-security': {
    severity: 'warning',
    what: 'row-level security on the claims table that applies to this role',
    why: 'A hidden row can be neither claimed nor seen: its record fails again and again.',
    fix: 'a policy that lets the role see every row, or `ALTER TABLE … DISABLE ROW LEVEL SECURITY`',
    docs: GRANTS,
  },
  'postgres-read-only': {
    severity: 'error',
    what: 'a connection to a replica, or one whose transactions are read-only',
    why: 'Every claim is refused, and no record runs.',
    fix: 'the address of the writer, as the cluster endpoint of Aurora',
  },
  'postgres-not-durable': {
    severity: 'error',
    what: '`fsync` off (a warning where only `synchronous_commit` is off)',
    why: 'After a crash the last claims are gone, and completed work runs again.',
    fix: '`fsync = on` and `synchronous_commit = on`',
  },
  'postgres-not-cleaned': {
    severity: 'warning',
    what: 'more than 10,000 rows that have been past their retention for a day',
    why: 'PostgreSQL deletes nothing by itself: table, indexes and backups grow for ever.',
    fix: '`npx batchlatch table clean --postgres`, or `deleteForgottenClaims`, every hour',
  },
  'postgres-statement-pooler': {
    severity: 'error',
    what: 'a pooler that allows no transactions, such as PgBouncer in statement mode',
    why: '`inTransaction` cannot work.',
    fix: '`pool_mode = transaction`',
  },
  'postgres-pooler': {
    severity: 'info',
    what: 'a pooler between the functions and the database, such as PgBouncer or RDS Proxy',
    why:
      'Transaction mode is enough for claims (without `prepare`). What a handler keeps in a ' +
      'session (SET, LISTEN, advisory locks, temporary tables) is lost after each transaction.',
    fix: 'nothing for claims',
  },
  'postgres-clock-differs': {
    severity: 'info',
    what: 'a server whose clock is more than 5 s from that of this machine',
    why: "Leases go by the server's clock. People see claims as overdue at other times.",
    fix: 'time by NTP on both',
  },
  'postgres-old': {
    severity: 'warning',
    what: 'a server older than PostgreSQL 13',
    why: 'It gets no fixes, and batchlatch is not tested with it.',
    fix: 'a version that is maintained',
  },
};
