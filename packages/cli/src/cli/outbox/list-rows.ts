import { escapeControls } from '../../text/escape-controls.ts';
import { rowJson } from '../../outbox-rows/row-json.ts';
import { type OutboxOptions, withOutbox } from '../connect/outbox.ts';
import { plural } from '../print/plural.ts';
import type { Run } from '../subcommand.ts';
import { readRowsShown, ROW_COLUMNS, rowCells, type RowSelection } from './outbox-rows.ts';

interface ListRowsOptions extends OutboxOptions, RowSelection {
  readonly id?: string;
  readonly limit: number;
  readonly cursor?: string;
  readonly all?: boolean;
  readonly showBodies?: boolean;
}

/** `outbox list` */
export const listRowsCommand: Run<ListRowsOptions> = (context, options) =>
  withOutbox(context, options, async (outbox): Promise<0> => {
    const { screen } = context;
    const { state, type, id, cursor, limit, all = false, showBodies = false } = options;
    const query = {
      bodies: showBodies,
      ...(state !== undefined && { state }),
      ...(type !== undefined && { type }),
      ...(id !== undefined && { outboxIds: [id] }),
      ...(cursor !== undefined && { cursor }),
    };
    const most = all ? Number.POSITIVE_INFINITY : limit;
    const { rows, next } = await readRowsShown(outbox, query, most, context);
    if (screen.isJson) {
      screen.json({ rows: rows.map(rowJson), next: next ?? null });
      return 0;
    }
    if (rows.length > 0) {
      screen.table(
        showBodies ? [...ROW_COLUMNS, { heading: 'BODY', min: 12 }] : ROW_COLUMNS,
        rows.map((row) => [
          ...rowCells(row, context),
          ...(showBodies ? [escapeControls(row.body ?? '')] : []),
        ]),
      );
    }
    const what = state === undefined ? 'row' : `${state} row`;
    screen.note(`${rows.length === 0 ? `No ${what}s` : plural(rows.length, what)} in ${outbox.place}.`);
    if (next !== undefined) {
      screen.note(`There may be more: add --all, or --cursor ${escapeControls(next)}`);
    }
    return 0;
  });
