import type { JSX } from 'preact';

/** The head of a column of checkboxes. Its own box selects all rows, or none. */
export function SelectAll({
  label = 'Select all that are shown',
  selected,
  of,
  onSelectAll,
}: {
  readonly label?: string;
  /** The number of selected rows. */
  readonly selected: number;
  /** The number of rows that can be selected. */
  readonly of: number;
  readonly onSelectAll: (all: boolean) => void;
}): JSX.Element {
  const isAll = of > 0 && selected === of;
  return (
    <th scope="col" class="cell-check">
      <input
        type="checkbox"
        aria-label={label}
        disabled={of === 0}
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = !isAll && selected > 0;
        }}
        onChange={({ currentTarget }) => onSelectAll(currentTarget.checked)}
      />
    </th>
  );
}
