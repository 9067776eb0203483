import type { OutboxEntry, OutboxOperation } from 'batchlatch/outbox';
import type { RowChange, WhyNot } from '../../outbox-rows/change-rows.ts';
import { escapeControls } from '../../text/escape-controls.ts';
import type { Context } from '../context.ts';
import { plural } from '../print/plural.ts';
import { shownRowState } from './outbox-rows.ts';

const WHY_NOT: Readonly<Record<WhyNot, string>> = {
  absent: 'there is no such row; it may be sent',
  changed: 'it has changed meanwhile; try again if the change is still wanted',
  waiting: 'a relay may be sending it: only parked and dropped rows can be changed',
  dropped: 'it is dropped already',
};

/** Returns what a change does to a row, for a person. */
export function rowEffect(operation: OutboxOperation, { state, group }: OutboxEntry): string {
  if (operation === 'drop') return group === undefined ? 'is not sent' : 'is not sent; its group goes on';
  const isLate = state === 'dropped' && group !== undefined;
  return isLate ? 'is sent, out of order' : 'is sent';
}

/** The output of `--json` for changes. */
export function changeRowsJson(changes: readonly RowChange[]): {
  readonly done: readonly object[];
  readonly refused: readonly object[];
  readonly failed: readonly object[];
} {
  return {
    done: changes.flatMap(({ outboxId, outcome }) => (outcome.status === 'done' ? [{ outboxId }] : [])),
    refused: changes.flatMap(({ outboxId, outcome }) =>
      outcome.status === 'refused' ? [{ outboxId, why: outcome.why, message: WHY_NOT[outcome.why] }] : [],
    ),
    failed: changes.flatMap(({ outboxId, outcome }) =>
      outcome.status === 'error' ? [{ outboxId, message: outcome.error.message }] : [],
    ),
  };
}

/** The most rows of a plan, and successes of a report, that are printed. */
const MOST_SHOWN = 20;

/** Prints the rows that a person is asked about. */
export function showRowPlan(
  operation: OutboxOperation,
  rows: readonly OutboxEntry[],
  context: Context,
): void {
  if (rows.length === 0) return;
  const { screen } = context;
  screen.table(
    [
      { heading: 'OUTBOX ID' },
      { heading: 'STATE' },
      { heading: 'TYPE', min: 8 },
      { heading: `AFTER ${operation.toUpperCase()}`, min: 16 },
    ],
    rows
      .slice(0, MOST_SHOWN)
      .map((row) => [
        escapeControls(row.outboxId),
        shownRowState(row.state, context),
        escapeControls(row.type),
        rowEffect(operation, row),
      ]),
    'note',
  );
  if (rows.length > MOST_SHOWN) screen.note(`… and ${plural(rows.length - MOST_SHOWN, 'more row')}`);
}

/** Prints the changes that were made, then those that were not. */
export function reportRowChanges(
  operation: OutboxOperation,
  changes: readonly RowChange[],
  { screen }: Context,
): void {
  const done = changes.filter(({ outcome }) => outcome.status === 'done');
  const verb = operation === 'release' ? 'Released' : 'Dropped';
  for (const { outboxId } of done.slice(0, MOST_SHOWN)) {
    screen.line(`${screen.paint('green', verb)} ${escapeControls(outboxId)}`);
  }
  if (done.length > MOST_SHOWN) screen.line(`… and ${plural(done.length - MOST_SHOWN, 'more row')}`);
  noteRefused(changes, screen);
  for (const { outboxId, outcome } of changes) {
    if (outcome.status === 'error') {
      const why = escapeControls(outcome.error.message);
      screen.note(`Failed ${escapeControls(outboxId)}: ${why}`);
    }
  }
  if (changes.length === done.length ? done.length > MOST_SHOWN : changes.length > 1) {
    screen.note(`${plural(done.length, 'row')} of ${changes.length} changed.`);
  }
}

/** Prints the changes that were refused, with the reasons. */
export function noteRefused(changes: readonly RowChange[], screen: Context['screen']): void {
  for (const { outboxId, outcome } of changes) {
    if (outcome.status !== 'refused') continue;
    screen.note(`Refused ${escapeControls(outboxId)}: ${WHY_NOT[outcome.why]}`);
  }
}
