import type { Completion } from '../../claims/claim-store.ts';
import { changeOfSettlement } from '../../claims/transitions.ts';
import { interval } from './statements.ts';
import { storableMs, storedKey } from './storable.ts';

/** Longer than `outcomeByRows` searches for the outcome of a COMMIT, which may still succeed meanwhile. */
const LONGEST_UNTIL_COMMIT_MS = 20_000;

/**
 * Completes claims for their owners, and returns their keys. The first parameter holds all completions as
 * JSON, because not every ORM passes arrays on. The second is the id of the transaction: in any other, as
 * after a COMMIT by the handler, nothing is completed. Rows are found and locked by key: the index of
 * open claims would read the rows of other attempts, and fail with them under SERIALIZABLE.
 *
 * Until the COMMIT, other requests for these rows wait. If the process is killed or frozen before it, the
 * database ends the transaction.
 */
export function completeText(table: string, now: string): string {
  return `
WITH asked AS (
  SELECT a.*, t.now
  FROM json_to_recordset($1::json) AS a (key text, owner text, status text, expires_ms float8, result text),
    (SELECT ${now} AS now,
      set_config('idle_in_transaction_session_timeout', '${LONGEST_UNTIL_COMMIT_MS}', true)) AS t
), owned AS (
  SELECT c.key FROM ${table} AS c JOIN asked AS a ON c.key = a.key
  WHERE c.key = ANY (ARRAY(SELECT key FROM asked))
    AND CASE c.status WHEN 'IN_PROGRESS' THEN c.owner = a.owner END
    AND txid_current()::text = $2
  ORDER BY c.key FOR UPDATE OF c
)
UPDATE ${table} AS c SET
  status = a.status, updated_at = a.now, completed_at = a.now,
  expires_at = a.now + ${interval('a.expires_ms')}, result = coalesce(a.result, c.result)
FROM asked AS a JOIN owned AS o ON o.key = a.key
WHERE c.key = a.key AND c.key = ANY (ARRAY(SELECT key FROM asked))
RETURNING c.key`;
}

export const TRANSACTION_ID = 'SELECT txid_current()::text AS id';

/** The first parameter of `completeText`. */
export function completionsAsJson(completions: readonly Completion[]): string {
  return JSON.stringify(
    completions.map((completion) => {
      const { status, expiresAt = 0, result } = changeOfSettlement(completion, 0); // from now
      return {
        key: storedKey(completion.key),
        owner: completion.owner,
        status,
        expires_ms: storableMs(expiresAt),
        result,
      };
    }),
  );
}
