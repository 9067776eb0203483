import { MOST_COUNTED, type OutboxAdmin, type OutboxState } from 'batchlatch/outbox';
import { findRows, readRows, type RowsQuery } from '../../outbox-rows/read-rows.ts';
import { rowJson } from '../../outbox-rows/row-json.ts';
import { isoTime } from '../../tool-base/iso-time.ts';
import type { Count, OutboxFactsJson } from '../api.ts';
import { ApiError, messageOf } from '../api-error.ts';
import type { RowsJson } from './outbox-api.ts';

/** The outbox that a console shows. */
export interface ShownOutbox {
  readonly admin: OutboxAdmin;
  /** The location of the rows, such as `outbox orders-outbox`. */
  readonly place: string;
}

/** Members checked against `INPUTS`. */
type Input = Readonly<Record<string, unknown>>;

/** Returns the outbox. Throws an `ApiError` if the console has none. */
export function outboxOf(outbox: ShownOutbox | undefined): ShownOutbox {
  if (outbox !== undefined) return outbox;
  throw new ApiError(
    404,
    'no-outbox',
    'The console has no outbox. Add --outbox, or set `outbox` of ClaimsConsole.',
  );
}

/** Lists rows without their bodies. */
export async function listRows(admin: OutboxAdmin, input: Input, signal: AbortSignal): Promise<RowsJson> {
  const { state, type, cursor, limit = 100 } = input;
  const { rows, next } = await readRows(admin, queryOf({ state, type, cursor }), Number(limit), { signal });
  return {
    rows: rows.map((row) => ({ ...rowJson(row), version: row.version })),
    ...(next !== undefined && { next }),
  };
}

/** Returns the query of checked members. An address has an empty text for one that is left out. */
export function queryOf({ state, type, cursor }: Input): RowsQuery {
  const given = (value: unknown): value is string => typeof value === 'string' && value !== '';
  return {
    ...(given(state) && { state: state as OutboxState }),
    ...(given(type) && { type }),
    ...(given(cursor) && { cursor }),
  };
}

/** Returns the body of a row: JSON text, or a pointer to S3. Throws an `ApiError` if the row is gone. */
export async function rowBody(
  admin: OutboxAdmin,
  outboxId: string,
  signal: AbortSignal,
): Promise<{ readonly body: string }> {
  const row = (await findRows(admin, [outboxId], { signal, bodies: true })).get(outboxId);
  if (row === undefined) {
    throw new ApiError(404, 'no-row', 'There is no such row any more: it may be sent. Look again.');
  }
  return { body: row.body ?? '' };
}

/** Counts rows. An error of the outbox is part of the answer. */
export async function outboxFacts(admin: OutboxAdmin, signal: AbortSignal): Promise<OutboxFactsJson> {
  try {
    const { waiting, parked, oldestWaitingAt, oldestParkedAt } = await admin.count({ signal });
    const [waitingSince, parkedSince] = [isoTime(oldestWaitingAt), isoTime(oldestParkedAt)];
    return {
      waiting: countOf(waiting),
      parked: countOf(parked),
      ...(waitingSince !== undefined && { oldestWaitingAt: waitingSince }),
      ...(parkedSince !== undefined && { oldestParkedAt: parkedSince }),
    };
  } catch (error) {
    return { waiting: UNKNOWN, parked: UNKNOWN, error: messageOf(error) };
  }
}

const UNKNOWN: Count = { count: null, kind: 'unknown' };

function countOf(count: number): Count {
  return { count, kind: count < MOST_COUNTED ? 'exact' : 'at-least' };
}
