import type { OutboxAdmin, OutboxEntry, OutboxQuery } from 'batchlatch/outbox';

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
  do {
    // A page ends where the next begins, so it holds no row too many. Long pages are searched for ids.
    const limit = query.outboxIds === undefined ? Math.min(PAGE, most - rows.length) : PAGE;
    const page = await admin.list(
      { ...query, limit, ...(next !== undefined && { cursor: next }) },
      { signal },
    );
    rows.push(...page.entries.filter((row) => type === undefined || row.type === type));
    next = page.next;
    onProgress?.(rows.length);
  } while (next !== undefined && rows.length < most && !signal.aborted);
  return { rows, ...(next !== undefined && { next }) };
}

/** Finds rows in any state by their outbox ids. A row that there is not is missing. */
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
    for (const row of rows) found.set(row.outboxId, row);
  }
  return found;
}
