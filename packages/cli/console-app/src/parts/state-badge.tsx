import type { JSX } from 'preact';
import type { ClaimState } from '../api-types.ts';
import { STATE_MEANING, STATE_NAME } from '../text/words.ts';
import { Icon } from './icon.tsx';

/** A state as a word, a shape and a colour. */
export function StateBadge({ state }: { readonly state: ClaimState }): JSX.Element {
  return (
    <span class="badge" data-state={state} title={STATE_MEANING[state]}>
      <Icon name={state} />
      {STATE_NAME[state]}
    </span>
  );
}
