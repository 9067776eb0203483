import { bounded } from '../base/bounded.ts';
import { systemClock } from '../base/clock.ts';
import { defined } from '../base/defined.ts';
import { ConfigurationError } from '../base/errors.ts';
import { ADMIN_CALL_MS } from '../base/limits.ts';
import { errorIn, jsonIn } from '../claims/row-format.ts';
import { unansweredByStore } from '../claims/store-errors.ts';
import { aString, type Check, checkOptionsOf } from '../options/check-options.ts';
import { aPool, type PostgresPool, type SqlAnswer } from '../stores/postgres/pool.ts';
import { send } from '../stores/postgres/sender.ts';
import { storableJson } from '../stores/postgres/storable.ts';
import {
  assertChanges,
  limitOf,
  type OutboxAdmin,
  type OutboxChangeOutcome,
  type OutboxCount,
  type OutboxEntry,
  type OutboxHistoryEntry,
  type OutboxPage,
  type OutboxQuery,
  type OutboxState,
} from './outbox-admin.ts';
import { adminTexts } from './postgres-admin-statements.ts';
import { type PostgresOutboxTable, postgresOutboxTable } from './postgres-table.ts';

/** Options of `postgresOutboxAdmin()`. */
export interface PostgresOutboxAdminOptions {
  /** A `Pool` of `pg`, or an object with the same `connect()`. */
  readonly pool: PostgresPool;
  /** The table, or `schema.table`. Default: `batchlatch_outbox`. */
  readonly table?: string;
}

const checks: Readonly<Record<keyof PostgresOutboxAdminOptions, Check>> = { pool: aPool, table: aString() };

const CALL = { ms: ADMIN_CALL_MS, signalIn: 'signal' } as const;
const LIMITS = {
  list: { ...CALL, signalAt: 1 },
  count: { ...CALL, signalAt: 0 },
  change: { ...CALL, signalAt: 1 },
};

/**
 * Returns the administration of an outbox in PostgreSQL: parked rows, the age of the oldest row, and people's
 * changes. Each call ends within 60 seconds.
 *
 * @param options The pool and the table.
 * @throws `ConfigurationError` for options that cannot work.
 *
 * @example
 * const { parked, oldestWaitingAt } = await postgresOutboxAdmin({ pool }).count();
 */
export function postgresOutboxAdmin(options: PostgresOutboxAdminOptions): OutboxAdmin {
  checkOptionsOf('postgresOutboxAdmin', options, checks);
  return bounded(adminOf(postgresOutboxTable(options)), LIMITS, unansweredByStore, systemClock);
}

function adminOf(table: PostgresOutboxTable): OutboxAdmin {
  const texts = adminTexts(table);
  return {
    async list(query = {}, { signal } = {}) {
      const limit = limitOf(query);
      const { state, outboxIds, bodies = false } = query;
      const entries: OutboxEntry[] = [];
      let place = placeOf(query);
      while (true) {
        const values = [
          place.state.toUpperCase(),
          place.id,
          limit - entries.length,
          outboxIds ?? null,
          bodies,
        ];
        const answer = await send(table, { text: texts.list, values }, ['SELECT'], signal);
        entries.push(...answer.rows.map(entryOf));
        if (entries.length === limit) {
          const last = String(answer.rows.at(-1)?.['id']);
          return { entries, next: cursorOf(place.state, last) } satisfies OutboxPage;
        }
        if (state !== undefined || place.state === 'waiting') return { entries };
        place = { state: 'waiting', id: '0' };
      }
    },
    async count({ signal } = {}) {
      const { rows } = await send(table, { text: texts.count, values: [] }, ['SELECT'], signal);
      return countOf(rows[0] ?? {});
    },
    async change(changes, { signal } = {}) {
      assertChanges(changes);
      if (changes.length === 0) return [];
      const asked = changes.map(({ operation, seen, token, operator, reason }) => ({
        operation,
        token,
        operator,
        reason,
        outbox_id: seen.outboxId,
        state: seen.state.toUpperCase(),
        version: seen.version,
      }));
      const privileges = ['SELECT', 'UPDATE'] as const;
      const statement = { text: texts.change, values: [storableJson(asked)] };
      const { rows } = await send(table, statement, privileges, signal);
      const found = new Map(rows.map((row) => [row['outbox_id'], row]));
      return changes.map(({ seen, token }) => outcomeOf(found.get(seen.outboxId), token));
    },
  };
}

type Row = SqlAnswer['rows'][number];

function outcomeOf(row: Row | undefined, token: string): OutboxChangeOutcome {
  if (row === undefined) return { status: 'refused', why: 'absent' };
  if (row['is_written'] === 't' || row['version'] === token) return { status: 'done' };
  return { status: 'refused', why: row['state'] === 'WAITING' ? 'waiting' : 'changed' };
}

function entryOf(row: Row): OutboxEntry {
  const text = (name: string): string | undefined => {
    const value = row[name];
    return typeof value === 'string' ? value : undefined;
  };
  const amount = (name: string): number | undefined => (row[name] === null ? undefined : Number(row[name]));
  return {
    outboxId: String(row['outbox_id']),
    type: String(row['type']),
    state: String(row['state']).toLowerCase() as OutboxState,
    version: String(row['version']),
    createdAt: Number(row['created_at']),
    tries: Number(row['tries']),
    bodyBytes: Number(row['body_bytes']),
    history: (jsonIn(row['history']) ?? []) as readonly OutboxHistoryEntry[],
    ...defined({
      group: text('message_group'),
      changedAt: amount('changed_at'),
      error: errorIn(row['error']),
      body: text('body'),
    }),
  };
}

function countOf(row: Row): OutboxCount {
  const at = (name: string): number | undefined => (row[name] === null ? undefined : Number(row[name]));
  return {
    waiting: Number(row['waiting']),
    parked: Number(row['parked']),
    ...defined({ oldestWaitingAt: at('oldest_waiting'), oldestParkedAt: at('oldest_parked') }),
  };
}

interface Place {
  readonly state: OutboxState;
  readonly id: string;
}

function cursorOf(state: OutboxState, id: string): string {
  return `${state}:${id}`;
}

function placeOf({ state = 'parked', cursor }: OutboxQuery): Place {
  if (cursor === undefined) return { state, id: '0' };
  const [, of, id] = /^(waiting|parked|dropped):(\d{1,18})$/.exec(cursor) ?? [];
  if (of === undefined || id === undefined) {
    throw new ConfigurationError('Expected `cursor` to be the `next` of a page of the same query');
  }
  return { state: of as OutboxState, id };
}
