import type { OutboxEntry, OutboxOperation } from 'batchlatch/outbox';
import { rowRefusal, type SeenRow, type WhyNot } from '../../outbox-rows/change-rows.ts';
import { rowJson } from '../../outbox-rows/row-json.ts';
import { badRequest } from '../api-error.ts';
import { checkInput, INPUTS, SEEN_ROW } from '../inputs.ts';
import type { RowsPlanJson } from './outbox-api.ts';

/** A planned change and its rows. */
export interface RowsPlan {
  readonly operation: OutboxOperation;
  /** The rows that would be changed, as they were seen. */
  readonly rows: readonly SeenRow[];
}

/** A row of a plan: as the person saw it, and as it is now. */
export interface PlannedRow {
  readonly seen: SeenRow;
  readonly found: OutboxEntry | undefined;
}

const SAMPLE = 5;

/** Returns the plan for rows, and its preview. */
export function rowsPlanOf(
  operation: OutboxOperation,
  rows: readonly PlannedRow[],
  isWhole: boolean,
): { readonly plan: RowsPlan; readonly shown: Omit<RowsPlanJson, 'plan' | 'expiresAt'> } {
  const wouldBeRefused = noneRefused();
  const wanted: OutboxEntry[] = [];
  for (const { seen, found } of rows) {
    const why = refusalOf(operation, seen, found);
    if (why !== undefined) wouldBeRefused[why] += 1;
    else if (found !== undefined) wanted.push(found);
  }
  const grouped = wanted.filter(({ group }) => group !== undefined);
  return {
    plan: { operation, rows: wanted.map(seenRow) },
    shown: {
      operation,
      count: rows.length,
      wouldChange: wanted.length,
      inGroups: grouped.length,
      late: operation === 'release' ? grouped.filter(({ state }) => state === 'dropped').length : 0,
      isWhole,
      wouldBeRefused,
      sample: wanted.slice(0, SAMPLE).map(rowJson),
    },
  };
}

function refusalOf(
  operation: OutboxOperation,
  seen: SeenRow,
  found: OutboxEntry | undefined,
): WhyNot | undefined {
  if (found === undefined) return 'absent';
  const why = rowRefusal(operation, found);
  if (why !== undefined) return why;
  return found.state === seen.state && found.version === seen.version ? undefined : 'changed';
}

/** Returns the members of a row that a change depends on. */
export function seenRow({ outboxId, state, version }: SeenRow): SeenRow {
  return { outboxId, state, version };
}

export function noneRefused(): Record<WhyNot, number> {
  return { absent: 0, changed: 0, waiting: 0, dropped: 0 };
}

/** Validates the rows that a page sends. Throws an `ApiError` that names the first invalid one. */
export function chosenRows(given: readonly unknown[]): readonly SeenRow[] {
  given.forEach((row, index) => checkInput(`rows[${index}]`, row, SEEN_ROW));
  const rows = given as readonly SeenRow[];
  if (new Set(rows.map(({ outboxId }) => outboxId)).size === rows.length) return rows;
  throw badRequest('Expected `rows` to have different outbox ids, but one occurs twice.');
}

/** Checks a plan that a page sends back. Throws an `ApiError` for anything else. */
export function rowsPlanIn({ operation, rows }: Readonly<Record<string, unknown>>): RowsPlan {
  checkInput('plan', { operation, rows }, INPUTS['POST /api/outbox/plan']);
  return { operation: operation as OutboxOperation, rows: chosenRows(rows as readonly unknown[]) };
}
