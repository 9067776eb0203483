import type { OutboxEntry, OutboxQuery, OutboxState } from 'batchlatch/outbox';
import { isoTime } from '../../tool-base/iso-time.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import type { Outbox } from '../connect/outbox.ts';
import type { Context } from '../context.ts';
import { plural } from '../print/plural.ts';
import type { Style } from '../print/screen.ts';
import type { Column } from '../print/table.ts';

/** The options that select rows. */
export interface RowSelection {
  readonly state?: OutboxState;
  readonly type?: string;
}

/** The most rows of one page. */
const PAGE = 1_000;

/** Reads pages until it has `most` rows of the type or no next page: a page may hold few rows, or none. */
export async function readRows(
  { admin }: Outbox,
  { type, ...query }: OutboxQuery & RowSelection,
  most: number,
  { signal, screen }: Pick<Context, 'signal' | 'screen'>,
): Promise<{ readonly rows: readonly OutboxEntry[]; readonly next?: string }> {
  const rows: OutboxEntry[] = [];
  let next = query.cursor;
  do {
    // A page ends where the next begins, so it holds no row too many. Long pages are searched for one row.
    const limit = query.outboxId === undefined ? Math.min(PAGE, most - rows.length) : PAGE;
    const page = await admin.list(
      { ...query, limit, ...(next !== undefined && { cursor: next }) },
      { signal },
    );
    rows.push(...page.entries.filter((row) => type === undefined || row.type === type));
    next = page.next;
    screen.progress(`${plural(rows.length, 'row')} …`);
  } while (next !== undefined && rows.length < most);
  screen.progress(undefined);
  return { rows, ...(next !== undefined && { next }) };
}

/** The columns of lists of rows. */
export const ROW_COLUMNS: readonly Column[] = [
  { heading: 'OUTBOX ID' },
  { heading: 'STATE' },
  { heading: 'TYPE', min: 8 },
  { heading: 'GROUP', min: 8, isOptional: true },
  { heading: 'CREATED' },
  { heading: 'TRIES', isRight: true, isOptional: true },
  { heading: 'ERROR', min: 12, isOptional: true },
];

/** Returns the cells of one row. */
export function rowCells(row: OutboxEntry, context: Pick<Context, 'screen'>): string[] {
  const { screen } = context;
  return [
    escapeControls(row.outboxId),
    shownRowState(row.state, context),
    escapeControls(row.type),
    escapeControls(row.group ?? ''),
    screen.time(row.createdAt),
    String(row.tries),
    row.error === undefined ? '' : escapeControls(`${row.error.name}: ${row.error.message}`),
  ];
}

/** Returns the state in its colour. */
export function shownRowState(state: OutboxState, { screen }: Pick<Context, 'screen'>): string {
  return screen.paint(STYLES[state], state);
}

const STYLES = { waiting: 'cyan', parked: 'red', dropped: 'dim' } as const satisfies Record<
  OutboxState,
  Style
>;

/** Returns a row as JSON, with its times in ISO 8601. */
export function rowJson({ version: _version, createdAt, changedAt, history, ...row }: OutboxEntry): object {
  return {
    ...row,
    createdAt: isoTime(createdAt),
    ...(changedAt !== undefined && { changedAt: isoTime(changedAt) }),
    history: history.map((change) => ({ ...change, at: isoTime(change.at) ?? null })),
  };
}
