import type { Completion } from '../../claims/claim-store.ts';
import { stoppableCall } from '../../base/bounded.ts';
import { wait } from '../../base/clock.ts';
import { TRANSACTION_CHECK_MS } from '../../base/limits.ts';
import { isAlreadySettled, isOwnedBy } from '../../claims/transitions.ts';
import type { ClaimsTable } from './claims-table.ts';
import { onConnection, silent } from './connection.ts';
import { mayBeResent, toStoreError } from './failures.ts';
import type { SqlAnswer, SqlConnection } from './pool.ts';
import { toClaim } from './row.ts';
import { send } from './sender.ts';
import { claimColumns } from './statements.ts';
import { storedKey } from './storable.ts';
import { notCommitted } from './transaction-errors.ts';

/**
 * The outcome of a transaction. `lost`: its completions whose claims other owners have now; empty if
 * committed.
 */
export interface TransactionOutcome<Write> {
  readonly isCommitted: boolean;
  readonly lost: readonly Write[];
}

interface Completing {
  readonly completion: Completion;
}

/** The longest search for the outcome: a restarted server is usually back sooner. */
const LONGEST_SEARCH_MS = 8_000;
const DELAY_MS = 200;

/**
 * Locks and reads the rows that a transaction completed, on another connection. The lock waits until the
 * transaction has ended, so the rows tell its outcome. Rejects after a time limit: the transaction may
 * still be open.
 */
export async function outcomeByRows<Write extends Completing>(
  writes: readonly Write[],
  table: ClaimsTable,
): Promise<TransactionOutcome<Write>> {
  const { clock, tableName } = table;
  const until = clock.now() + LONGEST_SEARCH_MS;
  for (;;) {
    const leftMs = Math.max(1, until - clock.now());
    try {
      const { rows } = await onConnection(
        table.pool,
        (client) => lockedRows(client, writes, table, leftMs),
        { clock, limitMs: leftMs + 500 }, // the database's own limit comes first
      );
      return outcomeOf(rows, writes);
    } catch (thrown) {
      const error = toStoreError(thrown, { tableName, privileges: ['SELECT', 'UPDATE'] });
      if (clock.now() + DELAY_MS >= until || !mayBeResent(thrown)) throw error;
      await wait(clock, DELAY_MS);
    }
  }
}

async function lockedRows(
  client: SqlConnection,
  writes: readonly Completing[],
  { table }: ClaimsTable,
  limitMs: number,
): Promise<SqlAnswer> {
  const send = (text: string, values: unknown[] = []): Promise<SqlAnswer> => client.query({ text, values });
  // READ COMMITTED: at any other level, which a role may have as its default, a row that has changed
  // meanwhile is an error.
  await send('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await send(`SET LOCAL lock_timeout = ${Math.ceil(limitMs)}`);
    return await send(
      `SELECT ${claimColumns('c')} FROM ${table} AS c
       WHERE c.key IN (SELECT json_array_elements_text($1::json)) ORDER BY c.key FOR UPDATE OF c`,
      [JSON.stringify(writes.map(({ completion }) => storedKey(completion.key)))],
    );
  } finally {
    await send('ROLLBACK');
  }
}

function outcomeOf<Write extends Completing>(
  rows: SqlAnswer['rows'],
  writes: readonly Write[],
): TransactionOutcome<Write> {
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
  if (writes.some(({ completion }) => isAlreadySettled(claims.get(completion.key), completion))) {
    return { isCommitted: true, lost: [] };
  }
  const lost = writes.filter(({ completion: { key, owner } }) => !isOwnedBy(claims.get(key), owner));
  return { isCommitted: false, lost };
}

/**
 * Checks a transaction that an adapter has ended, such as an ORM: after a failed statement, COMMIT rolls
 * back without an error. Rejects if it is not committed, or if the database does not answer.
 */
export async function checkCommitted(id: string, table: ClaimsTable): Promise<void> {
  const statement = { text: 'SELECT txid_status($1::bigint) AS status', values: [id] };
  const { rows } = await stoppableCall((stop) => send(table, statement, [], stop), {
    clock: table.clock,
    limitMs: TRANSACTION_CHECK_MS,
    errorOf: () => silent(TRANSACTION_CHECK_MS),
  });
  const status = rows[0]?.['status'];
  if (status === 'aborted' || status === 'in progress') throw notCommitted();
}
