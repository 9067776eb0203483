import {
  type Claim,
  type ClaimState,
  type ParkedKind,
  parkedKindOf,
  releasedAt,
  stateOf,
} from 'batchlatch/operations';
import type { Context } from '../context.ts';
import type { Style } from '../print/screen.ts';
import type { Column } from '../print/table.ts';
import { escapeControls } from '../../text/escape-controls.ts';

/** The columns of lists of claims. */
export const CLAIM_COLUMNS: readonly Column[] = [
  { heading: 'KEY', min: 16 },
  { heading: 'STATE' },
  { heading: 'ATTEMPT', isRight: true },
  { heading: 'SINCE' },
  { heading: 'ERROR', min: 12, isOptional: true },
];

/** Returns the cells of one claim. */
export function claimCells(claim: Claim, { screen, now }: Pick<Context, 'screen' | 'now'>): string[] {
  return [
    escapeControls(claim.key),
    shownState(claim, { screen, now }),
    String(claim.attempt),
    screen.time(sinceOf(claim, now())),
    errorText(claim),
  ];
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
