import {
  type Claim,
  type OperationKind,
  refusalOf,
  type RefusalReason,
  stateOf,
} from 'batchlatch/operations';
import { isoTime } from '../../tool-base/iso-time.ts';

/** The planned effect of a change on one claim. */
export interface Planned {
  readonly claim: Claim;
  /** For a person. */
  readonly effect: string;
  /** Why the change would be refused; absent if it would not be. */
  readonly refused?: RefusalReason;
  /** Whether the work may be done twice. */
  readonly isRisky: boolean;
}

/** Plans a change of one claim in its current state. */
export function planChange(operation: OperationKind, claim: Claim, force: boolean, now: number): Planned {
  const refused = refusalOf(claim, { operation, seen: claim, force }, now);
  if (refused !== undefined) {
    return { claim, refused, effect: `refused: ${refusalText(refused, claim, now)}`, isRisky: false };
  }
  const state = stateOf(claim, now);
  const isRunning = state === 'in-progress';
  const runsAgain = operation === 'release' || operation === 'forget';
  const warning = isRunning
    ? '; its handler may be running now'
    : state === 'completed' && runsAgain
      ? '; it is completed, and its effect is repeated'
      : '';
  return {
    claim,
    effect: `${EFFECTS[operation]}${warning}`,
    isRisky: warning !== '',
  };
}

const EFFECTS = {
  release: 'may run again',
  resolve: 'counts as done, does not run',
  park: 'does not run until it is released',
  forget: 'is deleted; its next delivery runs',
} as const satisfies Record<OperationKind, string>;

/** Returns why a change was refused, and what to do about it. */
export function refusalText(why: RefusalReason, found: Claim | undefined, now: number): string {
  switch (why) {
    case 'absent':
      return 'there is no such claim';
    case 'changed':
      return found === undefined
        ? 'it has changed meanwhile'
        : `it has changed meanwhile and is ${stateOf(found, now)} at attempt ` +
            `${found.attempt}; try again if the change is still wanted`;
    case 'running':
      return (
        'a handler may be running until ' +
        `${isoTime(found?.leaseUntil)?.replace(/\.\d+Z$/, 'Z') ?? 'its lease ends'} ` +
        '(--force does it all the same)'
      );
    case 'completed':
      return 'it is completed (--force does it all the same)';
  }
}
