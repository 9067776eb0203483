import { stoppableCall } from '../../base/bounded.ts';
import { StoreError } from '../../base/errors.ts';
import { TRANSACTION_CHECK_MS } from '../../base/limits.ts';
import type { ClaimsTable } from './claims-table.ts';
import { silent } from './connection.ts';
import { send } from './sender.ts';

/**
 * Asks what became of a transaction that somebody else has ended, such as an ORM: the COMMIT of one in which a statement has failed
 * is a rollback, and not an error. Rejects where it is not committed, and where nobody says.
 */
export async function checkCommitted(id: string, table: ClaimsTable): Promise<void> {
  const statement = {
    text: 'SELECT txid_status($1::bigint) AS status',
    values: [id],
    privileges: [] as const,
  };
  const { rows } = await stoppableCall((stop) => send(table, statement, stop), {
    clock: table.clock,
    limitMs: TRANSACTION_CHECK_MS,
    errorOf: () => silent(TRANSACTION_CHECK_MS),
  });
  const status = rows[0]?.['status'];
  if (status === 'aborted' || status === 'in progress') throw notCommitted();
}

export function notCommitted(): StoreError {
  return new StoreError(
    'The transaction was rolled back instead of committed: a statement had failed in it that the function of inTransaction did not ' +
      'wait for. Await every statement',
    { isRetryable: false },
  );
}
