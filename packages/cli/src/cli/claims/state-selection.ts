import type { ClaimState, ListQuery, ParkedKind } from 'batchlatch/operations';
import { UsageError } from '../cli-error.ts';

export const STATES = [
  'in-progress',
  'overdue',
  'failed',
  'parked',
  'completed',
] as const satisfies ClaimState[];
export const PARKED_KINDS = ['lapsed', 'failed', 'attempts', 'done'] as const satisfies ParkedKind[];

/** The options that select claims by state. */
export interface StateSelection {
  readonly state?: ClaimState;
  /** Only parked claims of this kind. */
  readonly parked?: ParkedKind;
}

/** Throws a `UsageError` for `--parked` with another state. */
export function assertParked({ state, parked }: StateSelection): void {
  if (parked === undefined || state === undefined || state === 'parked') return;
  throw new UsageError(
    `--parked ${parked} lists parked claims, and --state is ${state}: leave out one of them.`,
  );
}

export function stateQuery({ state, parked }: StateSelection): Pick<ListQuery, 'state' | 'parked'> {
  return { ...(state !== undefined && { state }), ...(parked !== undefined && { parked }) };
}

/** Returns the selection as the beginning of a sentence, such as `parked (lapsed) `. */
export function selectionText({ state, parked }: StateSelection): string {
  if (parked !== undefined) return `parked (${parked}) `;
  return state === undefined ? '' : `${state} `;
}
