import type { JSX } from 'preact';
import { Icon } from '../parts/icon.tsx';
import { isDense, setDense } from '../state/rows.ts';
import { useStore } from '../state/store.ts';

/** Goes from comfortable rows to dense ones, and back. */
export function RowsSwitch(): JSX.Element {
  const dense = useStore(isDense);
  return (
    <button
      type="button"
      class="button button-plain rows-switch"
      aria-pressed={dense}
      aria-label="Dense rows"
      title={dense ? 'Rows: dense' : 'Rows: comfortable'}
      onClick={() => setDense(!dense)}
    >
      <Icon name="rows" />
    </button>
  );
}
