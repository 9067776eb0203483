import {
  type Claim,
  type ClaimState,
  type ParkedKind,
  parkedKindOf,
  releasedAt,
  stateOf,
  typeOfKey,
} from 'batchlatch/operations';
import type { Context } from '../context.ts';
import type { Style } from '../print/screen.ts';
import type { Column } from '../print/table.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** Returns the table of a list of claims; it has a column for their types if a claim has one. */
export function claimTable(
  claims: readonly Claim[],
  context: Pick<Context, 'screen' | 'now'>,
): { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] } {
  const isTyped = claims.some(({ key }) => typeOfKey(key) !== undefined);
  return {
    columns: [
      { heading: 'KEY', min: 16 },
      ...(isTyped ? [{ heading: 'TYPE', min: 8, isOptional: true }] : []),
      { heading: 'STATE' },
      { heading: 'ATTEMPT', isRight: true },
      { heading: 'SINCE' },
      { heading: 'ERROR', min: 12, isOptional: true },
    ],
    rows: claims.map((claim) => [
      escapeControls(claim.key),
      ...(isTyped ? [typeText(claim)] : []),
      shownState(claim, context),
      String(claim.attempt),
      context.screen.time(sinceOf(claim, context.now())),
      errorText(claim),
    ]),
  };
}

/** Returns the type in the key; empty without one. */
export function typeText({ key }: Pick<Claim, 'key'>): string {
  return escapeControls(typeOfKey(key) ?? '');
}

/** Returns the state in its colour, with what is known besides, such as `parked (lapsed)`. */
export function shownState(claim: Claim, { screen, now }: Pick<Context, 'screen' | 'now'>): string {
  const state = stateOf(claim, now());
  const kind = parkedKindOf(claim);
  if (releasedAt(claim) !== undefined) return screen.paint('cyan', `${state} (released)`);
  if (kind === undefined) return screen.paint(STYLES[state], state);
  return screen.paint(PARKED_STYLES[kind], `${state} (${kind})`);
}

/** Returns why a claim is parked and what to do about it; undefined if it is not parked. */
export function parkedText(claim: Claim): string | undefined {
  const kind = parkedKindOf(claim);
  return kind && PARKED_TEXTS[kind];
}

const PARKED_TEXTS: Readonly<Record<ParkedKind, string>> = {
  lapsed: 'outcome unknown: find out whether the work was done, then resolve or release it',
  failed: 'failed for good: repair the cause, then release it',
  attempts: 'too many attempts or crashes: find the cause, then release it',
  done: 'the work is done, its result is not kept: resolve it; a release runs the work again',
};

/** Returns the name of the error and its message; empty without an error. */
export function errorText({ error }: Pick<Claim, 'error'>): string {
  return error === undefined ? '' : escapeControls(`${error.name}: ${error.message}`);
}

/** Returns the attempts as text, such as `5, of which 3 count`: released attempts do not count. */
export function attemptText(claim: Pick<Claim, 'attempt' | 'releases'>): string {
  const counted = claim.attempt - claim.releases;
  return counted === claim.attempt ? String(claim.attempt) : `${claim.attempt}, of which ${counted} count`;
}

const STYLES = {
  'in-progress': 'cyan',
  overdue: 'yellow',
  failed: 'yellow',
  parked: 'red',
  completed: 'green',
} as const satisfies Record<ClaimState, Style>;

/** Yellow where a release may repeat work. */
const PARKED_STYLES = {
  lapsed: 'yellow',
  failed: 'red',
  attempts: 'red',
  done: 'yellow',
} as const satisfies Record<ParkedKind, Style>;

/** Returns when the claim entered its state. */
function sinceOf(claim: Claim, now: number): number {
  switch (stateOf(claim, now)) {
    case 'in-progress':
      return claim.claimedAt ?? claim.createdAt;
    case 'overdue':
      return claim.leaseUntil;
    case 'completed':
      return claim.completedAt ?? claim.updatedAt;
    case 'failed':
    case 'parked':
      return claim.updatedAt;
  }
}
