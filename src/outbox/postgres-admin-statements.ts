import { milliseconds } from '../stores/postgres/statements.ts';
import { MOST_COUNTED } from './outbox-admin.ts';
import type { OutboxNames } from './postgres-table.ts';

export interface AdminTexts {
  /** Lists rows of the state `$1` after the position `$2`, in order. */
  readonly list: string;
  readonly count: string;
  /** Changes rows that are as they were seen, and returns all rows that were asked for. */
  readonly change: string;
}

export function adminTexts({ rows, channel }: OutboxNames): AdminTexts {
  const some = (state: string): string =>
    `(SELECT count(*) FROM (SELECT FROM ${rows} WHERE state = '${state}' LIMIT ${MOST_COUNTED}) AS s)`;
  const oldest = (state: string): string =>
    `(SELECT ${milliseconds('created_at')} FROM ${rows} WHERE state = '${state}' ORDER BY id LIMIT 1)`;
  return {
    list: `
SELECT id, outbox_id, type, state, version, message_group, ${milliseconds('created_at')} AS created_at,
  ${milliseconds('changed_at')} AS changed_at, tries, error, octet_length(body) AS body_bytes, history,
  CASE WHEN $5::boolean THEN body END AS body
FROM ${rows}
WHERE state = $1 AND id > $2::bigint AND ($4::text[] IS NULL OR outbox_id = ANY ($4::text[]))
ORDER BY id LIMIT $3::int`,
    count: `
SELECT ${some('WAITING')} AS waiting, ${some('PARKED')} AS parked,
  ${oldest('WAITING')} AS oldest_waiting, ${oldest('PARKED')} AS oldest_parked`,
    change: `
WITH asked AS (
  SELECT * FROM json_to_recordset($1::json)
    AS a (outbox_id text, state text, version text, operation text, token text, operator text, reason text)
), still AS (
  SELECT o.id FROM ${rows} AS o JOIN asked AS a ON o.outbox_id = a.outbox_id
  WHERE o.state = a.state AND o.version = a.version AND o.state <> 'WAITING'
  ORDER BY o.id FOR UPDATE OF o
), written AS (
  UPDATE ${rows} AS o SET version = a.token, changed_at = clock_timestamp(), retry_at = NULL,
    state = CASE a.operation WHEN 'drop' THEN 'DROPPED' ELSE 'WAITING' END,
    tries = CASE a.operation WHEN 'drop' THEN o.tries ELSE 0 END,
    history = coalesce(o.history, '[]'::jsonb) || jsonb_build_array(jsonb_build_object(
      'at', ${milliseconds('clock_timestamp()')}, 'operation', a.operation,
      'operator', a.operator, 'reason', a.reason))
  FROM asked AS a, still AS s WHERE o.id = s.id AND o.outbox_id = a.outbox_id
  RETURNING o.outbox_id, pg_notify('${channel}', '')
)
SELECT o.outbox_id, o.state, o.version, w.outbox_id IS NOT NULL AS is_written
FROM ${rows} AS o JOIN asked AS a ON o.outbox_id = a.outbox_id
LEFT JOIN written AS w ON w.outbox_id = o.outbox_id`,
  };
}
