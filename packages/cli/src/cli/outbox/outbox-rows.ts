import type { OutboxEntry, OutboxState } from 'batchlatch/outbox';
import { readRows, type RowsQuery } from '../../outbox-rows/read-rows.ts';
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

/** Reads pages until it has `most` rows or no next page, and shows how far it is. */
export async function readRowsShown(
  { admin }: Outbox,
  query: RowsQuery,
  most: number,
  { signal, screen }: Pick<Context, 'signal' | 'screen'>,
): ReturnType<typeof readRows> {
  const onProgress = (rows: number): void => screen.progress(`${plural(rows, 'row')} …`);
  const read = await readRows(admin, query, most, { signal, onProgress });
  screen.progress(undefined);
  return read;
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
