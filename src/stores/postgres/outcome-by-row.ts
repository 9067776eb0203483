import type { Completion } from '../../claims/claim-store.ts';
import { wait } from '../../base/clock.ts';
import { isAlreadySettled, isOwnedBy } from '../../claims/transitions.ts';
import type { ClaimsTable } from './claims-table.ts';
import { onConnection } from './connection.ts';
import { mayBeResent, toStoreError } from './failures.ts';
import type { SqlAnswer, SqlConnection } from './pool.ts';
import { toClaim } from './row.ts';
import { claimColumns } from './statements.ts';
import { storedKey } from './storable.ts';

/** What became of a transaction whose COMMIT has no answer. `lost`: the keys whose claims are other owners' by now. */
export type TransactionOutcome =
  | { readonly status: 'committed' }
  | { readonly status: 'rolled-back'; readonly lost: ReadonlySet<string> };

/** How long the rows are asked for. A server that was killed is back sooner. */
const LONGEST_SEARCH_MS = 8_000;
const DELAY_MS = 200;

/**
 * Reads the rows of claims that a transaction completed, on another connection and under a lock: it waits until that transaction has
 * ended, because it holds the locks of the same rows. So they tell for sure how it ended. Rejects where that cannot be found out in
 * time: the transaction may still be open.
 */
export async function outcomeByRows(
  completions: readonly Completion[],
  table: ClaimsTable,
): Promise<TransactionOutcome> {
  const { clock, tableName } = table;
  const until = clock.now() + LONGEST_SEARCH_MS;
  for (;;) {
    const leftMs = Math.max(1, until - clock.now());
    try {
      const { rows } = await onConnection(
        table.pool,
        (client) => lockedRows(client, completions, table, leftMs),
        { clock, limitMs: leftMs + 500 }, // the database's own limit comes first
      );
      return outcomeOf(rows, completions);
    } catch (thrown) {
      const error = toStoreError(thrown, { tableName, privileges: ['SELECT', 'UPDATE'] });
      if (clock.now() + DELAY_MS >= until || !mayBeResent(thrown)) throw error;
      await wait(clock, DELAY_MS);
    }
  }
}

async function lockedRows(
  client: SqlConnection,
  completions: readonly Completion[],
  { table }: ClaimsTable,
  limitMs: number,
): Promise<SqlAnswer> {
  const send = (text: string, values: unknown[] = []): Promise<SqlAnswer> => client.query({ text, values });
  // READ COMMITTED: at any other level, which a role may have as its default, a row that has changed meanwhile is an error.
  await send('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await send(`SET LOCAL lock_timeout = ${Math.ceil(limitMs)}`);
    return await send(
      `SELECT ${claimColumns('c')} FROM ${table} AS c
       WHERE c.key IN (SELECT json_array_elements_text($1::json)) ORDER BY c.key FOR UPDATE OF c`,
      [JSON.stringify(completions.map(({ key }) => storedKey(key)))],
    );
  } finally {
    await send('ROLLBACK');
  }
}

function outcomeOf(rows: SqlAnswer['rows'], completions: readonly Completion[]): TransactionOutcome {
  const claims = new Map(
    rows.flatMap((row) => {
      try {
        const claim = toClaim(row);
        return [[claim.key, claim]];
      } catch {
        return []; // no claim any more, and so not ours either
      }
    }),
  );
  // All of them are completed by one transaction, or none.
  if (completions.some((completion) => isAlreadySettled(claims.get(completion.key), completion))) {
    return { status: 'committed' };
  }
  const lost = completions.filter(({ key, owner }) => !isOwnedBy(claims.get(key), owner));
  return { status: 'rolled-back', lost: new Set(lost.map(({ key }) => key)) };
}
