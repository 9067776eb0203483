import type { SeenRow, ShownRowJson } from '../../api-types.ts';

/** Returns the state of a row that a change relies on. */
export function seenRow({ outboxId, state, version }: ShownRowJson): SeenRow {
  return { outboxId, state, version };
}
