import { type Claim, type ClaimState, stateOf } from 'batchlatch/operations';
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

/** Returns the state in its colour. */
export function shownState(claim: Claim, { screen, now }: Pick<Context, 'screen' | 'now'>): string {
  const state = stateOf(claim, now());
  return screen.paint(STYLES[state], state);
}

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
