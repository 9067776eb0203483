import { wait } from '../../base/clock.ts';
import { POSTGRES_STATEMENT_MS } from '../../base/limits.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { ClaimsTable } from './claims-table.ts';
import { onConnection } from './connection.ts';
import { type FailedOn, isOfSession, mayBeResent, type Privilege, toStoreError } from './failures.ts';
import type { SqlAnswer, SqlStatement } from './pool.ts';

/** The answer to a statement, with its time. */
export interface Sent extends SqlAnswer {
  /** In epoch milliseconds of this process's clock: before the database's own time of the statement. */
  readonly sentAt: number;
  /** It was sent more than once: an earlier sending may have been carried out, now or a moment later. */
  readonly wasResent: boolean;
}

/** The table of a statement, and the pool that leads to it. */
export interface SendingTable
  extends
    Pick<ClaimsTable, 'pool' | 'tableName' | 'clock' | 'random' | 'stopPreparing'>,
    Pick<FailedOn, 'createdBy'> {}

/** The most times one statement is sent, the first included. */
const MOST_SENDINGS = 6;
const FIRST_DELAY_MS = 25;
const LONGEST_DELAY_MS = 1_000;

/**
 * Sends a statement, each time on its own connection. After a temporary failure (connection lost, server
 * starting, too many connections, deadlock) it is sent again with exponential backoff and full jitter
 * ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015), until `signal` is aborted. If a
 * session cannot run a prepared statement, that and all later statements are sent without names.
 * Rejects with a `StoreError`.
 */
export async function send(
  table: SendingTable,
  asked: SqlStatement,
  privileges: readonly Privilege[],
  signal?: StopSignal,
): Promise<Sent> {
  const { pool, clock, random } = table;
  let statement = { types: TEXTS, ...asked };
  for (let sending = 1; ; sending += 1) {
    let sentAt = clock.now();
    try {
      const answer = await onConnection(
        pool,
        (client) => {
          sentAt = clock.now();
          return client.query(statement);
        },
        { clock, limitMs: POSTGRES_STATEMENT_MS, signal },
      );
      return { rows: answer.rows, rowCount: answer.rowCount, sentAt, wasResent: sending > 1 };
    } catch (thrown) {
      if (statement.name !== undefined && isOfSession(thrown)) {
        table.stopPreparing();
        statement = { text: asked.text, values: asked.values, types: TEXTS };
        sending -= 1; // nothing was carried out
        continue;
      }
      const error = toStoreError(thrown, { ...failedOn(table), privileges });
      if (sending === MOST_SENDINGS || !mayBeResent(thrown) || isOver(signal)) throw error;
      await wait(clock, random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** sending), signal);
      if (isOver(signal)) throw error; // also ends the wait at once
    }
  }
}

function failedOn({ tableName, createdBy }: SendingTable): Omit<FailedOn, 'privileges'> {
  return createdBy === undefined ? { tableName } : { tableName, createdBy };
}

function isOver(signal: StopSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Reads each value as text, whatever type parsers the program has set in `pg`. */
const TEXTS = { getTypeParser: () => (text: string) => text };
