import type { JSX } from 'preact';
import type { OutboxOperation, OutboxState, ShownRowJson } from '../../api-types.ts';
import { askToChangeRows, seenRow } from '../../outbox/rows-request.ts';
import { counted } from '../../text/numbers.ts';
import { ROW_OPERATION_NAME } from '../../text/row-words.ts';

/** The actions on the selected rows, or on all that are parked. */
export function RowsBar({
  state,
  type,
  selected,
  onDone,
}: {
  readonly state: OutboxState | undefined;
  readonly type: string | undefined;
  readonly selected: readonly ShownRowJson[];
  readonly onDone: () => void;
}): JSX.Element | null {
  if (state === 'waiting') return null;
  const isOfParked = state !== 'dropped';
  const operations: readonly OutboxOperation[] = isOfParked ? ['release', 'drop'] : ['release'];
  const filter = { state: 'parked', ...(type !== undefined && { type }) } as const;
  const ofRows = { rows: selected.map(seenRow) };
  return (
    <div
      class={selected.length > 0 ? 'bulk bulk-active' : 'bulk'}
      role="group"
      aria-label="Change rows of the outbox"
    >
      <span role="status" class="bulk-count">
        {selected.length === 0 ? 'None selected' : `${counted(selected.length, 'row')} selected`}
      </span>
      <span class="bulk-buttons">
        {operations.map((operation) => (
          <button
            key={operation}
            type="button"
            class={operation === 'drop' ? 'button button-danger-plain' : 'button'}
            disabled={selected.length === 0}
            onClick={() => askToChangeRows({ operation, ...ofRows, onDone })}
          >
            {ROW_OPERATION_NAME[operation]} selected…
          </button>
        ))}
        {isOfParked && (
          <button
            type="button"
            class="button button-primary"
            onClick={() => askToChangeRows({ operation: 'release', filter, onDone })}
          >
            Release all parked…
          </button>
        )}
      </span>
    </div>
  );
}
