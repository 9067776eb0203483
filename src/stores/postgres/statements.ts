import { COLUMNS } from './row.ts';

/*
 * The texts of the statements that attempts need. Each locks its rows in the order of their keys, so that
 * no two of them deadlock. `now` is an SQL expression: see DATABASE_TIME. Durations are in milliseconds
 * from now.
 */

/** The database's time, in milliseconds, so that all writers of a table use the same clock. */
export const DATABASE_TIME = "date_trunc('milliseconds', statement_timestamp())";

// rule: postgres-owner
const IS_OWNED = "a.was = 'IN_PROGRESS' AND a.holder = a.owner";

/** The columns of a claim, for a `SELECT` from the table with this alias. */
export function claimColumns(alias: string): string {
  return Object.values(COLUMNS)
    .map(([column, type]) =>
      type === 'time' ? `${milliseconds(`${alias}.${column}`)} AS ${column}` : `${alias}.${column}`,
    )
    .join(', ');
}

/**
 * Claims the keys that have no row, for requests that differ only in key, owner, payload hash and record
 * id. The parameters are those of `acquireText`, with one value for each that does not differ. PostgreSQL
 * plans it in half the time.
 */
export function insertText(table: string, now: string): string {
  // It updates nothing, but needs the privilege. With DO NOTHING, a role without UPDATE would claim keys, run
  // their handlers, and fail to settle them.
  const orNothing = 'ON CONFLICT (key) DO UPDATE SET status = c.status WHERE false';
  return `
INSERT INTO ${table} AS c (key, status, owner, attempt, releases, crashes, started, lease_until, expires_at,
  created_at, updated_at, payload_hash, locked_by, record_id, took_over)
SELECT key, 'IN_PROGRESS', owner, 1, 0, 0, $8::boolean, ${later('$3::float8')}, ${later('$4::float8')},
  now, now, payload_hash, $6::text, record_id, false
FROM unnest($1::text[], $2::text[], $5::text[], $7::text[]) AS a (key, owner, payload_hash, record_id),
  (SELECT ${now} AS now) AS t
ORDER BY key COLLATE "C"
${orNothing}`;
}

/**
 * Returns a row for each key whose row is not as `insertText` writes it for its owner: with the stored row,
 * or without one if there is none. The parameters are the first two of `insertText`.
 */
export function othersText(table: string, now: string): string {
  const isAsInserted =
    "c.owner = a.owner AND c.status = 'IN_PROGRESS' AND c.attempt = 1 AND c.releases = 0 AND c.crashes = 0";
  return `
SELECT a.key, CASE WHEN c.key IS NOT NULL THEN to_json(f) END AS found, ${milliseconds(now)} AS now
FROM unnest($1::text[], $2::text[]) AS a (key, owner) LEFT JOIN ${table} AS c ON c.key = a.key,
  LATERAL (SELECT ${claimColumns('c')}) AS f
WHERE (${isAsInserted}) IS NOT TRUE`;
}

/**
 * Claims the keys that are free, and returns the rows of the others as of the beginning of the statement.
 * Which keys are free is the rule of `claims/transitions.ts`; a test compares the two.
 */
export function acquireText(table: string, now: string): string {
  const isForgotten = 'c.expires_at <= excluded.updated_at';
  // The status and the times of a row in a newer format are not known here.
  const isReadable = "c.status IN ('IN_PROGRESS', 'COMPLETED', 'FAILED', 'PARKED')";
  const isSamePayload =
    'c.payload_hash IS NULL OR excluded.payload_hash IS NULL OR c.payload_hash = excluded.payload_hash';
  // rule: postgres-live-lease
  const isLapsed =
    "c.status = 'IN_PROGRESS' AND c.owner <> excluded.owner AND c.lease_until <= excluded.updated_at";
  // rule: postgres-free-keys
  const isFree = `c.status = 'FAILED' OR ${isLapsed}`;
  const unlessForgotten = (next: string, first: string): string =>
    `CASE WHEN ${isForgotten} THEN ${first} ELSE ${next} END`;
  const oneMoreIf = (column: string, condition: string): string =>
    unlessForgotten(`c.${column} + (c.status = 'IN_PROGRESS' AND ${condition})::int`, '0');
  return `
WITH asked AS (
  SELECT a.*, t.now
  FROM unnest($1::text[], $2::text[], $3::float8[], $4::float8[], $5::text[], $6::text[], $7::text[],
      $8::boolean[])
    AS a (key, owner, lease_ms, expires_ms, payload_hash, locked_by, record_id, started),
    (SELECT ${now} AS now) AS t
), acquired AS (
  INSERT INTO ${table} AS c (key, status, owner, attempt, releases, crashes, started, lease_until, expires_at,
    created_at, updated_at, payload_hash, locked_by, record_id, took_over)
  SELECT key, 'IN_PROGRESS', owner, 1, 0, 0, started, ${later('lease_ms')}, ${later('expires_ms')},
    now, now, payload_hash, locked_by, record_id, false
  FROM asked ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO UPDATE SET
    status = excluded.status, owner = excluded.owner, started = excluded.started,
    attempt = ${unlessForgotten('c.attempt + 1', '1')},
    releases = ${oneMoreIf('releases', 'c.started IS FALSE')},
    crashes = ${oneMoreIf('crashes', 'c.started IS NOT FALSE')},
    lease_until = excluded.lease_until, expires_at = excluded.expires_at, updated_at = excluded.updated_at,
    created_at = ${unlessForgotten('c.created_at', 'excluded.created_at')},
    claimed_at = ${unlessForgotten('excluded.updated_at', 'NULL')},
    history = ${unlessForgotten('c.history', 'NULL')},
    took_over = ${unlessForgotten("c.status = 'IN_PROGRESS'", 'false')},
    payload_hash = excluded.payload_hash, locked_by = excluded.locked_by, record_id = excluded.record_id,
    completed_at = NULL, result = NULL, error = NULL
  WHERE ${isForgotten} AND ${isReadable} OR (${isSamePayload}) AND (${isFree})
  RETURNING key, attempt, releases, crashes, took_over
)
SELECT key, attempt, releases, crashes, took_over, NULL::json AS found, NULL::float8 AS now FROM acquired
UNION ALL
SELECT a.key, NULL, NULL, NULL, NULL, to_json(f), ${milliseconds('a.now')}
FROM asked AS a JOIN ${table} AS c ON c.key = a.key, LATERAL (SELECT ${claimColumns('c')}) AS f
WHERE NOT EXISTS (SELECT FROM acquired AS w WHERE w.key = a.key)`;
}

/**
 * Completes claims for their owners as `changeText` does, with 3 arrays instead of 12, for completions
 * that differ only in key, owner and result.
 */
export function completeAllText(table: string, now: string): string {
  return `
WITH locked AS (
  SELECT a.*, t.now, c.status AS was, c.owner AS holder
  FROM unnest($1::text[], $2::text[], $3::text[]) AS a (key, owner, result)
    JOIN ${table} AS c ON c.key = a.key, (SELECT ${now} AS now) AS t
  ORDER BY c.key FOR UPDATE OF c
)
UPDATE ${table} AS c SET
  status = 'COMPLETED', updated_at = a.now, completed_at = a.now,
  expires_at = a.now + ${interval('$4::float8')}, result = coalesce(a.result, c.result)
FROM locked AS a
WHERE c.key = a.key AND ${IS_OWNED}`;
}

/**
 * Changes claims for their owners. Rows are found by their keys alone, and compared after they are
 * locked: the planner would prefer the index of open claims, in which thousands of claims that have ended
 * stay until it is vacuumed.
 */
export function changeText(table: string, now: string): string {
  // rule: postgres-growing-leases
  const isNotShorter = `(a.at_most_ms IS NULL OR a.lasts <= a.now + ${interval('a.at_most_ms')})`;
  return `
WITH asked AS (
  SELECT a.*, t.now
  FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[], $6::boolean[], $7::text[],
      $8::text[], $9::int[], $10::int[], $11::boolean[], $12::float8[])
    AS a (key, owner, status, lease_ms, expires_ms, completed, result, error, releases, crashes, started,
      at_most_ms),
    (SELECT ${now} AS now) AS t
), locked AS (
  SELECT a.*, c.status AS was, c.owner AS holder, c.lease_until AS lasts
  FROM asked AS a JOIN ${table} AS c ON c.key = a.key
  ORDER BY c.key FOR UPDATE OF c
)
UPDATE ${table} AS c SET
  status = coalesce(a.status, c.status), updated_at = a.now,
  lease_until = coalesce(a.now + ${interval('a.lease_ms')}, c.lease_until),
  expires_at = coalesce(a.now + ${interval('a.expires_ms')}, c.expires_at),
  completed_at = CASE WHEN a.completed THEN a.now ELSE c.completed_at END,
  result = coalesce(a.result, c.result), error = coalesce(a.error::jsonb, c.error),
  releases = coalesce(a.releases, c.releases), crashes = coalesce(a.crashes, c.crashes),
  started = coalesce(a.started, c.started)
FROM locked AS a
WHERE c.key = a.key AND ${IS_OWNED} AND ${isNotShorter}`;
}

export function readText(table: string, now: string): string {
  return `SELECT ${claimColumns('c')}, ${milliseconds(now)} AS now
FROM ${table} AS c WHERE c.key = ANY ($1::text[])`;
}

/** The SQL of a time in epoch milliseconds, which a JavaScript number can hold. */
export function milliseconds(time: string): string {
  return `(extract(epoch FROM ${time}) * 1000)::float8`;
}

export function timeAt(ms: string): string {
  return `to_timestamp(${ms} / 1000.0)`;
}

export function interval(ms: string): string {
  return `${ms} * interval '1 millisecond'`;
}

function later(column: string): string {
  return `now + ${interval(column)}`;
}
