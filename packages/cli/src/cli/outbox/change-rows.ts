import type { OutboxEntry, OutboxOperation } from 'batchlatch/outbox';
import { changeRows, type RowChange, type RowOperation, rowRefusal } from '../../outbox-rows/change-rows.ts';
import { findRows } from '../../outbox-rows/read-rows.ts';
import { ask, assertCanAsk, type Consent } from '../ask.ts';
import { UsageError } from '../cli-error.ts';
import { type Outbox, type OutboxOptions, withOutbox } from '../connect/outbox.ts';
import type { Context } from '../context.ts';
import { plural } from '../print/plural.ts';
import type { Run } from '../subcommand.ts';
import { readRowsShown, type RowSelection } from './outbox-rows.ts';
import {
  changeRowsJson,
  noteRefused,
  reportRowChanges,
  rowEffect,
  showRowPlan,
} from './report-row-changes.ts';

/** The options of `outbox release` and `outbox drop`. */
export interface ChangeRowsOptions extends OutboxOptions, Consent, RowSelection {
  readonly limit: number;
  readonly reason?: string;
  readonly operator?: string;
}

/** Returns `outbox release` or `outbox drop`. */
export function changeRowsCommand(operation: OutboxOperation): Run<ChangeRowsOptions> {
  return (context, options, ids) => {
    const { reason, operator = context.operator() } = options;
    if (reason === undefined) {
      throw new UsageError(
        'Say why: add --reason "…". It is kept on the row, for whoever looks at it later.',
      );
    }
    assertSelected(ids, options);
    assertCanAsk(options, context);
    return withOutbox(context, options, async (outbox) => {
      const { screen } = context;
      const { rows, missing } = await (ids.length > 0
        ? findNamed(outbox, ids, context)
        : selectRows(outbox, options, context));
      const wanted: OutboxEntry[] = [];
      const refused = missing.map((outboxId): RowChange => ({
        outboxId,
        outcome: { status: 'refused', why: 'absent' },
      }));
      for (const row of rows) {
        const why = rowRefusal(operation, row);
        if (why === undefined) wanted.push(row);
        else refused.push({ outboxId: row.outboxId, outcome: { status: 'refused', why } });
      }
      if (options.dryRun === true) {
        dryRun(operation, wanted, refused, context);
        return refused.length > 0 ? 1 : 0;
      }
      if (wanted.length > 0 && options.yes !== true) {
        showRowPlan(operation, wanted, context);
        const verb = operation === 'release' ? 'Release' : 'Drop';
        if (!(await ask(`${verb} ${plural(wanted.length, 'row')}?`, context))) {
          screen.note('Nothing was changed.');
          return 1;
        }
      }
      const made = await changeRowsShown(outbox, wanted, { operation, operator, reason }, context);
      const changes = [...made, ...refused];
      if (screen.isJson) screen.json(changeRowsJson(changes));
      else reportRowChanges(operation, changes, context);
      return changes.every(({ outcome }) => outcome.status === 'done') ? 0 : 1;
    });
  };
}

/** Throws a `UsageError` unless rows are named either by id or by state. */
function assertSelected(ids: readonly string[], { state, type }: ChangeRowsOptions): void {
  if (ids.length > 0 && (state !== undefined || type !== undefined)) {
    throw new UsageError('--state and --type are for many rows: leave them out where rows are named.');
  }
  if (ids.length > 0 || state !== undefined) return;
  throw new UsageError('Name the rows: their outbox ids; or --state parked, with --type if you like.');
}

interface FoundRows {
  readonly rows: readonly OutboxEntry[];
  readonly missing: readonly string[];
}

async function findNamed({ admin }: Outbox, ids: readonly string[], { signal }: Context): Promise<FoundRows> {
  const found = await findRows(admin, ids, { signal });
  return { rows: [...found.values()], missing: [...new Set(ids)].filter((id) => !found.has(id)) };
}

async function selectRows(
  outbox: Outbox,
  { state, type, limit }: ChangeRowsOptions,
  context: Context,
): Promise<FoundRows> {
  const query = { ...(state !== undefined && { state }), ...(type !== undefined && { type }) };
  const { rows, next } = await readRowsShown(outbox, query, limit, context);
  const { screen } = context;
  if (next !== undefined) {
    screen.note(`Only the first ${plural(limit, 'row')}: there may be more. Run it again, or raise --limit.`);
  }
  if (rows.length === 0) screen.note(`No ${state} rows in ${outbox.place}.`);
  return { rows, missing: [] };
}

/** Changes rows, and shows how far it is. Those that an abort kept from being sent have an error. */
async function changeRowsShown(
  { admin }: Outbox,
  rows: readonly OutboxEntry[],
  how: RowOperation,
  { signal, screen }: Context,
): Promise<readonly RowChange[]> {
  const onProgress = (done: number): void => screen.progress(`${plural(done, 'row')} of ${rows.length} …`);
  const changes = await changeRows(admin, rows, how, { signal, onProgress });
  screen.progress(undefined);
  const error = new Error('stopped before it was sent: run the command again');
  const notSent = rows.slice(changes.length);
  return [
    ...changes,
    ...notSent.map(({ outboxId }): RowChange => ({ outboxId, outcome: { status: 'error', error } })),
  ];
}

function dryRun(
  operation: OutboxOperation,
  wanted: readonly OutboxEntry[],
  refused: readonly RowChange[],
  context: Context,
): void {
  const { screen } = context;
  if (screen.isJson) {
    screen.json({
      wouldChange: wanted.map((row) => ({
        outboxId: row.outboxId,
        type: row.type,
        state: row.state,
        effect: rowEffect(operation, row),
      })),
      refused: changeRowsJson(refused).refused,
    });
    return;
  }
  showRowPlan(operation, wanted, context);
  noteRefused(refused, screen);
  screen.note('This was a dry run: nothing was changed.');
}
