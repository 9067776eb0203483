import { bounded, boundedCall } from '../base/bounded.ts';
import { POSTGRES_STATEMENT_MS } from '../base/limits.ts';
import { Stop, type StopSignal } from '../base/stop.ts';
import { columnOf } from '../stores/postgres/array-text.ts';
import { silent } from '../stores/postgres/connection.ts';
import { toStoreError } from '../stores/postgres/failures.ts';
import { poolTransactions } from '../stores/postgres/pool-transactions.ts';
import type { PostgresClient, SqlAnswer } from '../stores/postgres/pool.ts';
import { send } from '../stores/postgres/sender.ts';
import { storableJson } from '../stores/postgres/storable.ts';
import type { PostgresOutboxTable } from './postgres-table.ts';
import { GROUPS_OF_A_ROUND, relayTexts } from './postgres-statements.ts';
import { endsOf, type RoundEnds } from './relay-ends.ts';
import { type RelayRow, relayRows, textsIn } from './relay-row.ts';
import type { RowSender, RowsReport } from './row-sender.ts';

export interface RoundSetup {
  readonly table: PostgresOutboxTable;
  readonly sender: RowSender;
  readonly sendTimeoutMs: number;
  readonly maxTries: number;
  /** Aborted when the relay must end. */
  readonly stop: StopSignal;
}

/** How a round ended. */
export interface RoundReport extends RoundEnds {
  /** The group to go on after; empty to begin again. */
  readonly after: string;
}

const NOTHING: RoundEnds = { sent: [], failures: [], outage: undefined };
/** How long a sender may take to report after its signal. */
const REPORT_MS = 5_000;
const ALL = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;

/**
 * Sends one round of rows: those of some groups, which it locks, and some without a group. The locks are held
 * until the rows are deleted; a relay that dies loses its connection, and so its locks.
 */
export async function sendRound(setup: RoundSetup, after: string): Promise<RoundReport> {
  const { table, stop } = setup;
  const texts = relayTexts(table);
  const { rows } = await send(table, { text: texts.find, values: [after] }, ALL, stop);
  const groups = textsIn(rows[0]?.['groups']);
  const next = groups.length === GROUPS_OF_A_ROUND ? (groups.at(-1) as string) : '';
  if (groups.length === 0 && rows[0]?.['alone'] !== 'true') return { ...NOTHING, after: '' };
  return { ...(await sendLocked(setup, groups)), after: next };
}

async function sendLocked(setup: RoundSetup, groups: readonly string[]): Promise<RoundEnds> {
  const { table } = setup;
  const texts = relayTexts(table);
  const { pool, clock, tableName, createdBy = '' } = table;
  let ends: RoundEnds = NOTHING;
  try {
    await poolTransactions(pool, clock, 'read committed').transaction(async (client) => {
      const query = querying(client, table);
      const limitMs = setup.sendTimeoutMs + REPORT_MS + POSTGRES_STATEMENT_MS;
      const lock = await query(texts.lock, [columnOf(groups, String), String(limitMs)]);
      const locked = textsIn(lock.rows[0]?.['groups']);
      // rule: rows-of-locked-groups
      const rows = relayRows(await query(texts.read, [columnOf(locked, String)]));
      if (rows.length === 0) return;
      ends = endsOf(rows, await sendRows(setup, rows), setup.maxTries, table.random);
      const { sent, failures } = ends;
      if (sent.length + failures.length > 0) {
        await query(texts.settle, [idsOf(sent), failuresAsJson(ends)]);
      }
    });
  } catch (thrown) {
    const error = toStoreError(thrown, { tableName, createdBy, privileges: ALL });
    if (ends.sent.length === 0) throw error;
    // The locks are gone, and the rows are sent: they need no lock to be deleted.
    await send(table, { text: texts.remove, values: [idsOf(ends.sent)] }, ALL, setup.stop);
    return { ...ends, failures: [] }; // rolled back
  }
  return ends;
}

/** Sends the rows within the limit. Rows without an answer are unknown. */
async function sendRows(
  { table: { clock }, sender, sendTimeoutMs, stop: end }: RoundSetup,
  rows: readonly RelayRow[],
): Promise<RowsReport<RelayRow>> {
  const stop = new Stop();
  const abort = (): void => stop.abort();
  const cancel = clock.setTimer(abort, sendTimeoutMs);
  end.addEventListener('abort', abort);
  if (end.aborted) abort();
  try {
    return await boundedCall(() => sender.sendEncoded(rows, { signal: stop.signal }), {
      clock,
      limitMs: sendTimeoutMs + REPORT_MS,
      errorOf: () => new Error(`The sender did not answer within ${sendTimeoutMs / 1_000} seconds`),
    });
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { sent: [], failed: [], unknown: rows.map((message) => ({ message, error })) };
  } finally {
    cancel();
    end.removeEventListener('abort', abort);
  }
}

function querying(
  client: PostgresClient,
  { clock }: PostgresOutboxTable,
): (text: string, values: unknown[]) => Promise<SqlAnswer> {
  const limits = { query: { ms: POSTGRES_STATEMENT_MS } };
  const limited = bounded(client, limits, (_why, limitMs) => silent(limitMs), clock);
  return (text, values) => limited.query({ text, values });
}

function idsOf(rows: readonly RelayRow[]): string {
  return columnOf(rows, ({ id }) => id);
}

const LONGEST_MESSAGE = 1_000;

function failuresAsJson({ failures }: RoundEnds): string {
  return storableJson(
    failures.map(({ row, error: { name, message }, parks, delayMs, version }) => ({
      id: row.id,
      parks,
      version,
      delay_ms: delayMs,
      error: { name, message: message.slice(0, LONGEST_MESSAGE) },
    })),
  );
}
