import type { JSX } from 'preact';
import { session } from '../api/session.ts';
import { useStore } from '../state/store.ts';
import { shown } from '../text/shown.ts';

/** Who the history will say did it. */
export function KeptBy({ of = 'claim' }: { readonly of?: 'claim' | 'row' }): JSX.Element {
  const operator = useStore(session)?.operator;
  return (
    <p class="muted small">
      The reason, the time and {operator === undefined ? 'your name' : <b>{shown(operator)}</b>} are kept in
      the history of each {of}.
    </p>
  );
}
