import type { OutboxAdmin, OutboxEntry, OutboxPage, OutboxQuery } from 'batchlatch/outbox';

/** The rows to read. */
export interface RowsQuery extends OutboxQuery {
  /** Only rows with a message of this type. */
  readonly type?: string;
}

/** How rows are read. */
export interface Reading {
  readonly signal: AbortSignal;
  /** Called after each page. */
  readonly onProgress?: (rows: number) => void;
}

/** The most rows of one page. */
const PAGE = 1_000;

/** Reads pages until it has `most` rows of the type or no next page: a page may hold few rows, or none. */
export async function readRows(
  admin: OutboxAdmin,
  { type, ...query }: RowsQuery,
  most: number,
  { signal, onProgress }: Reading,
): Promise<{ readonly rows: readonly OutboxEntry[]; readonly next?: string }> {
  const rows: OutboxEntry[] = [];
  let next = query.cursor;
  // Long pages are searched for ids; for a type they grow, because it may be a rare one.
  const isSearch = query.outboxIds !== undefined || type !== undefined;
  let searched = query.outboxIds === undefined ? most : PAGE;
  do {
    const room = most - rows.length;
    const list = (limit: number): Promise<OutboxPage> =>
      admin.list({ ...query, limit, ...(next !== undefined && { cursor: next }) }, { signal });
    let page = await list(Math.min(PAGE, isSearch ? searched : room));
    searched *= 2;
    // A page ends where the next begins: one with a row too many is read again, up to that row.
    const tooMany = ofType(page, type)[room];
    if (tooMany !== undefined) page = await list(page.entries.indexOf(tooMany));
    rows.push(...ofType(page, type));
    next = page.next;
    onProgress?.(rows.length);
  } while (next !== undefined && rows.length < most && !signal.aborted);
  return { rows, ...(next !== undefined && { next }) };
}

function ofType({ entries }: OutboxPage, type: string | undefined): readonly OutboxEntry[] {
  return type === undefined ? entries : entries.filter((row) => row.type === type);
}

/** Finds rows in any state by outbox ids. A row that there is not is missing. Rejects after an abort. */
export async function findRows(
  admin: OutboxAdmin,
  outboxIds: readonly string[],
  reading: Reading & { readonly bodies?: boolean },
): Promise<ReadonlyMap<string, OutboxEntry>> {
  const { bodies = false } = reading;
  const found = new Map<string, OutboxEntry>();
  for (const state of [undefined, 'dropped'] as const) {
    const missing = [...new Set(outboxIds)].filter((outboxId) => !found.has(outboxId));
    if (missing.length === 0) break;
    const query = { outboxIds: missing, bodies, ...(state !== undefined && { state }) };
    const { rows } = await readRows(admin, query, missing.length, reading);
    reading.signal.throwIfAborted(); // or rows of pages that were not read would seem to be missing
    for (const row of rows) found.set(row.outboxId, row);
  }
  return found;
}
