import { randomUUID } from 'node:crypto';
import type { OutboxAdmin, OutboxChange, OutboxChangeOutcome, OutboxEntry } from 'batchlatch/outbox';

/** A row as a person saw it. */
export type SeenRow = OutboxChange['seen'];

/** Why a row was not changed. `dropped`: it is dropped already. */
export type WhyNot = Extract<OutboxChangeOutcome, { status: 'refused' }>['why'] | 'dropped';

/** The outcome of one row that was to be changed. */
export interface RowChange {
  readonly outboxId: string;
  readonly outcome:
    | { readonly status: 'done' }
    | { readonly status: 'refused'; readonly why: WhyNot }
    | { readonly status: 'error'; readonly error: Error };
}

/** The change that is made to rows, and who makes it why. */
export type RowOperation = Pick<OutboxChange, 'operation' | 'operator' | 'reason'>;

/** Returns why a row is not worth asking for; undefined if it is. */
export function rowRefusal(
  operation: OutboxChange['operation'],
  { state }: Pick<OutboxEntry, 'state'>,
): Exclude<WhyNot, 'absent' | 'changed'> | undefined {
  if (state === 'waiting') return 'waiting';
  return state === 'dropped' && operation === 'drop' ? 'dropped' : undefined;
}

/** The rows of one step; `signal` is checked between steps. */
const AT_ONCE = 25;

/**
 * Changes rows, and returns the outcomes of those that were sent, in order. Waits for what was sent, even
 * after an abort: an abandoned request may have been carried out.
 */
export async function changeRows(
  admin: OutboxAdmin,
  rows: readonly SeenRow[],
  how: RowOperation,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (rows: number) => void },
): Promise<readonly RowChange[]> {
  const changes: RowChange[] = [];
  while (changes.length < rows.length && !signal.aborted) {
    const some = rows.slice(changes.length, changes.length + AT_ONCE);
    const outcomes = await outcomesOf(admin, some, how);
    changes.push(
      ...some.map(({ outboxId }, index): RowChange => ({
        outboxId,
        outcome:
          outcomes instanceof Error
            ? { status: 'error', error: outcomes }
            : (outcomes[index] as OutboxChangeOutcome),
      })),
    );
    onProgress(changes.length);
  }
  return changes;
}

/** Returns the error of a step that failed: any of its changes may have been made. */
async function outcomesOf(
  admin: OutboxAdmin,
  rows: readonly SeenRow[],
  how: RowOperation,
): Promise<readonly OutboxChangeOutcome[] | Error> {
  try {
    return await admin.change(rows.map((seen) => ({ ...how, seen, token: randomUUID() })));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
