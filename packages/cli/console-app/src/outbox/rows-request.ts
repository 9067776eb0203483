import type { RowsPlanRequest, SeenRow, ShownRowJson } from '../api-types.ts';
import { createStore } from '../state/store.ts';

/** A change of an outbox's rows that a person has asked for and not confirmed. */
export interface RowsRequest extends RowsPlanRequest {
  /** Called when all or some of it is done. */
  readonly onDone?: () => void;
}

/** The change in the dialog; undefined while none is open. */
export const rowsRequest = createStore<RowsRequest | undefined>(undefined);

/** Opens the dialog. */
export function askToChangeRows(request: RowsRequest): void {
  rowsRequest.set(request);
}

/** Returns the state of a row that a change relies on. */
export function seenRow({ outboxId, state, version }: ShownRowJson): SeenRow {
  return { outboxId, state, version };
}
