import type { JSX } from 'preact';
import type { ClaimJson, ParkedKind } from '../api-types.ts';
import {
  PARKED_MEANING,
  PARKED_NAME,
  RELEASED_MEANING,
  RELEASED_NAME,
  STATE_MEANING,
  STATE_NAME,
} from '../text/words.ts';
import { Icon, PARKED_ICON } from './icon.tsx';

/** A state as a word, a shape and a colour. A failed claim that a person released has its own. */
export function StateBadge({
  state,
  releasedAt,
}: {
  readonly state: ClaimJson['state'];
  readonly releasedAt?: string | undefined;
}): JSX.Element {
  if (releasedAt !== undefined) {
    return (
      <span class="badge" data-state="released" title={RELEASED_MEANING}>
        <Icon name="released" />
        {RELEASED_NAME}
      </span>
    );
  }
  return (
    <span class="badge" data-state={state} title={STATE_MEANING[state]}>
      <Icon name={state} />
      {STATE_NAME[state]}
    </span>
  );
}

/** Why a claim is parked, as words and a colour. */
export function ParkedBadge({ kind }: { readonly kind: ParkedKind }): JSX.Element {
  return (
    <span class="badge" data-parked={kind} title={PARKED_MEANING[kind]}>
      <Icon name={PARKED_ICON[kind]} />
      {PARKED_NAME[kind]}
    </span>
  );
}
