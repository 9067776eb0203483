import type { OutboxNames } from './postgres-table.ts';

/** Groups that one round locks, rows that it takes of each, and rows without a group that it takes. */
export const GROUPS_OF_A_ROUND = 20;
const ROWS_OF_A_GROUP = 10;
const ROWS_ALONE = 100;
/** Groups and dropped rows that one clean-up deletes. */
const CLEANED = 1_000;

/** Adds rows in the order of a list, and wakes up relays when the transaction commits. */
export function addText({ rows, channel }: OutboxNames, notifies: boolean): string {
  const insert = `
INSERT INTO ${rows} (outbox_id, message_group, type, body, attributes, deduplication_id)
SELECT a.id, a.message_group, a.type, a.body, a.attributes, a.deduplication_id
FROM ROWS FROM (json_to_recordset($1::json) AS (
  "outboxId" text, "group" text, type text, body text, attributes json, "deduplicationId" text
)) WITH ORDINALITY AS a (id, message_group, type, body, attributes, deduplication_id, place)
ORDER BY a.place`;
  return notifies ? `WITH added AS (${insert}) SELECT pg_notify('${channel}', '')` : insert;
}

export interface RelayTexts {
  /** Finds groups after `$1` with rows to send, and whether there are rows without a group. */
  readonly find: string;
  /** Locks groups that no other relay has, and lets the server end a transaction that is left open. */
  readonly lock: string;
  /** Reads the first rows of the locked groups, and rows without a group that no other relay has. */
  readonly read: string;
  /** Deletes sent rows, and writes the errors of others. */
  readonly settle: string;
  /** Deletes sent rows. */
  readonly remove: string;
  /** Deletes locks of groups without rows, and rows that were dropped long ago; says if there may be more. */
  readonly clean: string;
}

/**
 * Rows are found by their being there: a transaction that commits late adds rows with lower ids than others
 * that are sent already. So nothing remembers a position; `find` goes on after the last group only so that
 * every group has its turn.
 */
export function relayTexts({ rows, groups }: OutboxNames): RelayTexts {
  const next = (after: string): string => `SELECT o.message_group FROM ${rows} AS o
    WHERE o.message_group > ${after} AND o.state <> 'DROPPED' ORDER BY o.message_group LIMIT 1`;
  // A group waits for a person, or for the time of its next try.
  // rule: parked-row-holds-group
  const isHeld = (group: string): string => `EXISTS (
    SELECT FROM ${rows} AS h WHERE h.message_group = ${group}
    AND (h.state = 'PARKED' OR h.retry_at IS NOT NULL)
    AND (h.state = 'PARKED' OR h.retry_at > clock_timestamp()))`;
  const alone = `message_group IS NULL AND state = 'WAITING'
    AND (retry_at IS NULL OR retry_at <= clock_timestamp())`;
  const columns = `id, outbox_id, message_group, type, body, attributes, deduplication_id, tries`;
  return {
    find: `
WITH RECURSIVE named AS (
  (${next('$1')})
  UNION ALL
  SELECT (${next('n.message_group')}) FROM named AS n WHERE n.message_group IS NOT NULL
), ready AS (
  SELECT n.message_group AS name FROM named AS n
  WHERE n.message_group IS NOT NULL AND NOT ${isHeld('n.message_group')} LIMIT ${GROUPS_OF_A_ROUND}
), added AS (
  INSERT INTO ${groups} (name) SELECT name FROM ready ON CONFLICT DO NOTHING
)
SELECT to_json(ARRAY(SELECT name FROM ready))::text AS groups,
  EXISTS (SELECT FROM ${rows} WHERE ${alone})::text AS alone`,
    lock: `
SELECT set_config('idle_in_transaction_session_timeout', $2, true),
  to_json(ARRAY(
    SELECT name FROM ${groups} WHERE name = ANY ($1::text[]) FOR UPDATE SKIP LOCKED
  ))::text AS groups`,
    // A statement of its own: it sees what the relay before it has deleted.
    read: `
SELECT o.id::text, o.outbox_id, o.message_group, o.type, o.body, o.attributes::text, o.deduplication_id,
  o.tries::text
FROM unnest($1::text[]) AS g (name) CROSS JOIN LATERAL (
  SELECT ${columns} FROM ${rows} AS r WHERE r.message_group = g.name AND r.state <> 'DROPPED'
  ORDER BY r.id LIMIT ${ROWS_OF_A_GROUP}
) AS o WHERE NOT ${isHeld('g.name')}
UNION ALL
SELECT a.id::text, a.outbox_id, a.message_group, a.type, a.body, a.attributes::text, a.deduplication_id,
  a.tries::text
FROM (
  SELECT ${columns} FROM ${rows} WHERE ${alone} ORDER BY id LIMIT ${ROWS_ALONE} FOR UPDATE SKIP LOCKED
) AS a`,
    settle: `
WITH gone AS (
  DELETE FROM ${rows} WHERE id = ANY ($1::bigint[])
)
UPDATE ${rows} AS o SET tries = o.tries + 1, error = f.error, changed_at = clock_timestamp(),
  state = CASE WHEN f.parks THEN 'PARKED' ELSE o.state END,
  version = CASE WHEN f.parks THEN f.version ELSE o.version END,
  retry_at = CASE WHEN f.parks THEN NULL ELSE clock_timestamp() + f.delay_ms * interval '1 millisecond' END
FROM json_to_recordset($2::json) AS f (id bigint, parks boolean, version text, delay_ms float8, error jsonb)
WHERE o.id = f.id AND o.state = 'WAITING'`,
    remove: `DELETE FROM ${rows} WHERE id = ANY ($1::bigint[])`,
    clean: `
WITH unused AS (
  SELECT g.name FROM ${groups} AS g
  WHERE NOT EXISTS (SELECT FROM ${rows} AS o WHERE o.message_group = g.name AND o.state <> 'DROPPED')
  LIMIT ${CLEANED} FOR UPDATE SKIP LOCKED
), freed AS (
  DELETE FROM ${groups} AS g USING unused AS u WHERE g.name = u.name RETURNING 1
), gone AS (
  DELETE FROM ${rows} WHERE id IN (
    SELECT id FROM ${rows}
    WHERE state = 'DROPPED' AND changed_at < clock_timestamp() - interval '14 days' LIMIT ${CLEANED}
  ) AND state = 'DROPPED' RETURNING 1
)
SELECT (${CLEANED} IN ((SELECT count(*) FROM freed), (SELECT count(*) FROM gone)))::text AS more`,
  };
}
