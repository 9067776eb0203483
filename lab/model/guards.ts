import type { Change } from '../rules/mutant.ts';
import type { InvariantName } from './invariants.ts';

/** A guard, which can be taken out of the specification by its name there, and out of the code by changes of its rules. */
export interface Guard {
  readonly name: string;
  readonly says: string;
  /** What does not hold without it. */
  readonly invariant: InvariantName;
  /** The action of the specification that makes a step. Default: `step`; others reach soon what is rare. */
  readonly step?: 'stepOfLeases';
  readonly changes: readonly Change[];
}

const RUN_AGAIN = '{ write: nextClaim(stored, request, now), tookOver: false }';
const IN_PROGRESS_OF_ANYBODY = "stored?.status === 'IN_PROGRESS'";
const NOT_IN_PROGRESS = "stored?.status !== 'IN_PROGRESS'";

export const guards: readonly Guard[] = [
  {
    name: 'lease',
    says: 'a live lease is a conflict',
    invariant: 'noTwoLiveLeases',
    changes: [{ rule: 'live-lease', value: 'false' }],
  },
  {
    name: 'tolerance',
    says: 'a takeover waits for as long as clocks may differ',
    invariant: 'noTwoLiveLeases',
    changes: [{ rule: 'live-lease', value: 'now < stored.leaseUntil' }],
  },
  {
    name: 'retention',
    says: 'a row past its retention counts as absent',
    invariant: 'forgottenCountsAsAbsent',
    changes: forgottenIf(([isAbsent]) => `${isAbsent}`),
  },
  {
    name: 'forgetting waits',
    says: 'a row is forgotten only when every clock says so',
    invariant: 'completedDoesNotRunAgain',
    changes: forgottenIf(([isAbsent]) => `${isAbsent} || isForgotten(stored, now)`),
  },
  {
    name: 'completed',
    says: 'a completed key is a duplicate',
    invariant: 'completedDoesNotRunAgain',
    changes: [{ rule: 'completed-key', value: RUN_AGAIN }],
  },
  {
    name: 'parked',
    says: 'a parked key waits for a person',
    invariant: 'parkedDoesNotRun',
    changes: [{ rule: 'parked-key', value: RUN_AGAIN }],
  },
  {
    name: 'attempts grow',
    says: 'every claim has the next attempt',
    invariant: 'attemptsOnlyGrow',
    changes: [{ rule: 'attempts-grow', value: (_, [attempt]) => `${attempt}` }],
  },
  {
    name: 'start',
    says: 'a lease that lapsed before the start is no death',
    invariant: 'unstartedDoesNotDie',
    changes: [{ rule: 'unstarted-lapse', value: (_, [_isUnstarted, _released, crashed]) => `${crashed}` }],
  },
  {
    name: 'own claim',
    says: 'an attempt that meets its own claim has acquired it',
    invariant: 'ownClaimIsNoConflict',
    changes: [{ rule: 'own-claim', value: 'false' }],
  },
  {
    name: 'payload',
    says: 'another payload is a mismatch',
    invariant: 'otherPayloadsAreMismatches',
    changes: [{ rule: 'other-payload', value: 'false' }],
  },
  {
    name: 'settled',
    says: 'only what is in progress can be settled',
    invariant: 'committedIsCompleted',
    changes: [
      { rule: 'owner-condition', value: (_, [exists, _isInProgress, isOwn]) => `${exists} && ${isOwn}` },
    ],
  },
  {
    name: 'owner of an end',
    says: 'a settlement needs its own owner in the row',
    invariant: 'lateOwnerChangesNothing',
    changes: [{ rule: 'memory-owner-of-end', value: IN_PROGRESS_OF_ANYBODY }],
  },
  {
    name: 'owner of an extension',
    says: 'an extension needs its own owner in the row',
    step: 'stepOfLeases',
    invariant: 'lateOwnerChangesNothing',
    changes: [{ rule: 'memory-owner-of-extension', value: NOT_IN_PROGRESS }],
  },
  {
    name: 'owner of a start',
    says: 'the mark of a start needs its own owner in the row',
    step: 'stepOfLeases',
    invariant: 'lateOwnerChangesNothing',
    changes: [{ rule: 'memory-owner-of-start', value: NOT_IN_PROGRESS }],
  },
  {
    name: 'owner of a commit',
    says: 'a transaction needs its own owner in the row',
    invariant: 'lateOwnerChangesNothing',
    changes: [
      { rule: 'memory-owner-of-commit', value: NOT_IN_PROGRESS },
      {
        rule: 'memory-commit-completes',
        value: "(change(stored, changeOfSettlement(completion, clock.now())), 'stored')",
      },
    ],
  },
  {
    name: 'one transaction',
    says: 'an effect is written together with the completion',
    invariant: 'committedIsCompleted',
    changes: [{ rule: 'memory-commit-completes', value: "'stored'" }],
  },
  {
    name: 'own end',
    says: 'an attempt that meets its own end has stored it',
    invariant: 'answersAreTrue',
    changes: [{ rule: 'own-settlement', value: 'true' }],
  },
  {
    name: 'leases grow',
    says: 'an extension never makes a lease shorter',
    invariant: 'leasesOnlyGrow',
    changes: [{ rule: 'memory-growing-leases', value: 'true' }],
  },
  {
    name: 'new owner',
    says: 'after a change by a person, the row is no longer its owner’s',
    invariant: 'answersAreTrue',
    changes: [{ rule: 'owner-of-change', value: 'stored.owner' }],
  },
  {
    name: 'own change',
    says: 'a change that is sent again is done once, and done',
    invariant: 'answersAreTrue',
    changes: [{ rule: 'own-change', value: 'false' }],
  },
  {
    name: 'seen',
    says: 'people change a claim only as they saw it',
    invariant: 'peopleChangeWhatTheySaw',
    changes: [{ rule: 'seen-before-change', value: 'false' }],
  },
  {
    name: 'running',
    says: 'people do not end a live lease, unless they force it',
    invariant: 'peopleWaitForLeases',
    changes: [{ rule: 'live-for-people', value: 'false' }],
  },
  {
    name: 'done',
    says: 'people do not have what is completed run again, unless they force it',
    invariant: 'peopleDoNotUndoCompletions',
    changes: [{ rule: 'completed-for-people', value: 'false' }],
  },
];

function forgottenIf(condition: (parts: readonly string[]) => string): Change[] {
  const value = (_: string, parts: readonly string[]): string => condition(parts);
  return [
    { rule: 'forgotten-claims', value },
    { rule: 'forgotten-for-people', value },
  ];
}
