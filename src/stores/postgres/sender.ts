import { wait } from '../../base/clock.ts';
import { POSTGRES_STATEMENT_MS } from '../../base/limits.ts';
import type { StopSignal } from '../../base/stop.ts';
import type { ClaimsTable } from './claims-table.ts';
import { onConnection } from './connection.ts';
import { isOfSession, mayBeResent, type Privilege, toStoreError } from './failures.ts';
import type { SqlAnswer, SqlStatement } from './pool.ts';

/** What a statement gave, and when. */
export interface Sent extends SqlAnswer {
  /** In epoch milliseconds of this process's clock: before the database's own time of the statement. */
  readonly sentAt: number;
  /** It was sent more than once: an earlier sending may have been carried out, now or a moment later. */
  readonly wasResent: boolean;
}

/** Of one statement, the first included. */
const MOST_SENDINGS = 6;
const FIRST_DELAY_MS = 25;
const LONGEST_DELAY_MS = 1_000;

/**
 * Sends a statement, each time on a connection of its own for as long as it takes. One that failed for a reason that passes
 * (connection lost, server starting, too many connections, deadlock) is sent again, with exponential back-off and full jitter
 * ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015), until `signal` is aborted. One that a session does not know
 * by its name is sent whole, as all are from then on. Rejects with a `StoreError`.
 */
export async function send(
  table: ClaimsTable,
  asked: SqlStatement,
  privileges: readonly Privilege[],
  signal?: StopSignal,
): Promise<Sent> {
  const { pool, clock, random, tableName } = table;
  let statement = { ...asked, types: TEXTS };
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
      return { rows: answer.rows, sentAt, wasResent: sending > 1 };
    } catch (thrown) {
      if (statement.name !== undefined && isOfSession(thrown)) {
        table.stopPreparing();
        statement = { text: asked.text, values: asked.values, types: TEXTS };
        sending -= 1; // nothing was carried out
        continue;
      }
      const error = toStoreError(thrown, { tableName, privileges });
      if (sending === MOST_SENDINGS || !mayBeResent(thrown) || isOver(signal)) throw error;
      await wait(clock, random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** sending), signal);
      if (isOver(signal)) throw error; // also ends the wait at once
    }
  }
}

function isOver(signal: StopSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Each value comes as its text: what a program has told `pg` to make of a type is for its own statements. */
const TEXTS = { getTypeParser: () => (text: string) => text };
