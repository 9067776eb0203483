import { randomUUID } from 'node:crypto';
import type { OutboxChangeOutcome, OutboxEntry, OutboxOperation } from 'batchlatch/outbox';
import { ask, assertCanAsk, type Consent } from '../ask.ts';
import { UsageError } from '../cli-error.ts';
import { type Outbox, type OutboxOptions, withOutbox } from '../connect/outbox.ts';
import type { Context } from '../context.ts';
import { plural } from '../print/plural.ts';
import type { Run } from '../subcommand.ts';
import { readRows, type RowSelection } from './outbox-rows.ts';
import {
  changeRowsJson,
  noteRefused,
  reportRowChanges,
  type RowChange,
  rowEffect,
  rowRefusal,
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
        ? findRows(outbox, ids, context)
        : selectRows(outbox, options, context));
      const wanted: OutboxEntry[] = [];
      const refused = missing.map((outboxId): RowChange => ({
        outboxId,
        outcome: { status: 'refused', why: 'absent' },
      }));
      for (const row of rows) {
        const why = rowRefusal(operation, row);
        if (why === undefined) wanted.push(row);
        else refused.push({ outboxId: row.outboxId, row, outcome: { status: 'refused', why } });
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
      const made = await changeAll(outbox, wanted, { operation, operator, reason }, context);
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

async function findRows(outbox: Outbox, ids: readonly string[], context: Context): Promise<FoundRows> {
  const rows: OutboxEntry[] = [];
  const missing: string[] = [];
  for (const outboxId of new Set(ids)) {
    const row = await findRow(outbox, outboxId, context);
    if (row === undefined) missing.push(outboxId);
    else rows.push(row);
  }
  return { rows, missing };
}

async function findRow(outbox: Outbox, outboxId: string, context: Context): Promise<OutboxEntry | undefined> {
  const unsent = await readRows(outbox, { outboxId }, 1, context);
  if (unsent.rows.length > 0) return unsent.rows[0];
  const dropped = await readRows(outbox, { outboxId, state: 'dropped' }, 1, context);
  return dropped.rows[0];
}

async function selectRows(
  outbox: Outbox,
  { state, type, limit }: ChangeRowsOptions,
  context: Context,
): Promise<FoundRows> {
  const query = { ...(state !== undefined && { state }), ...(type !== undefined && { type }) };
  const { rows, next } = await readRows(outbox, query, limit, context);
  const { screen } = context;
  if (next !== undefined) {
    screen.note(`Only the first ${plural(limit, 'row')}: there may be more. Run it again, or raise --limit.`);
  }
  if (rows.length === 0) screen.note(`No ${state} rows in ${outbox.place}.`);
  return { rows, missing: [] };
}

/** The rows of one step; `signal` is checked between steps. */
const AT_ONCE = 25;

/** Waits for what was sent, even after an abort: an abandoned request may have been carried out. */
async function changeAll(
  outbox: Outbox,
  rows: readonly OutboxEntry[],
  how: { readonly operation: OutboxOperation; readonly operator: string; readonly reason: string },
  { signal, screen }: Context,
): Promise<RowChange[]> {
  const changes: RowChange[] = [];
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const some = rows.slice(start, start + AT_ONCE);
    const outcomes = signal.aborted
      ? new Error('stopped before it was sent: run the command again')
      : await outcomesOf(outbox, some, how);
    changes.push(
      ...some.map((row, index): RowChange => ({
        outboxId: row.outboxId,
        row,
        outcome:
          outcomes instanceof Error
            ? { status: 'error', error: outcomes }
            : (outcomes[index] as OutboxChangeOutcome),
      })),
    );
    if (rows.length > AT_ONCE) screen.progress(`${plural(changes.length, 'row')} of ${rows.length} …`);
  }
  screen.progress(undefined);
  return changes;
}

/** Returns the error of a step that failed: any of its changes may have been made. */
async function outcomesOf(
  { admin }: Outbox,
  rows: readonly OutboxEntry[],
  how: { readonly operation: OutboxOperation; readonly operator: string; readonly reason: string },
): Promise<readonly OutboxChangeOutcome[] | Error> {
  try {
    return await admin.change(rows.map((seen) => ({ ...how, seen, token: randomUUID() })));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
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
