import type { InvariantName } from './invariants.ts';

/** A guard, which can be taken out of the specification by its name there, and out of the code by patches. */
export interface Guard {
  readonly name: string;
  readonly says: string;
  /** What does not hold without it. */
  readonly invariant: InvariantName;
  /** The action of the specification that makes a step. Default: `step`; others reach soon what is rare. */
  readonly step?: 'stepOfLeases';
  readonly patches: readonly Patch[];
}

/** `search` occurs in the file exactly once. */
export interface Patch {
  readonly file: string;
  readonly search: string;
  readonly replace: string;
}

const TRANSITIONS = 'src/claims/transitions.ts';
const OPERATIONS = 'src/claims/changes.ts';
const MEMORY = 'src/stores/memory/memory-store.ts';

const FORGOTTEN = 'isForgotten(stored, now - clockToleranceMs)';
const LEASE = 'now < stored.leaseUntil + clockToleranceMs) {';
const COMMITTED = "return settleOne(completion, clock.now()) === 'stored' ? 'stored' : 'lost';";
const NEVER = 'stored.attempt < 0';
const IN_PROGRESS_OF_ANYBODY = "stored?.status !== 'IN_PROGRESS'";
const RUN_AGAIN = 'if (now > -Infinity) return { write: nextClaim(stored, request, now), tookOver: false };';

export const guards: readonly Guard[] = [
  {
    name: 'lease',
    says: 'a live lease is a conflict',
    invariant: 'noTwoLiveLeases',
    patches: [{ file: TRANSITIONS, search: LEASE, replace: 'now < -Infinity) {' }],
  },
  {
    name: 'tolerance',
    says: 'a takeover waits for as long as clocks may differ',
    invariant: 'noTwoLiveLeases',
    patches: [{ file: TRANSITIONS, search: LEASE, replace: 'now < stored.leaseUntil) {' }],
  },
  {
    name: 'retention',
    says: 'a row past its retention counts as absent',
    invariant: 'forgottenCountsAsAbsent',
    patches: [TRANSITIONS, OPERATIONS].map((file) => ({ file, search: FORGOTTEN, replace: NEVER })),
  },
  {
    name: 'forgetting waits',
    says: 'a row is forgotten only when every clock says so',
    invariant: 'completedDoesNotRunAgain',
    patches: [TRANSITIONS, OPERATIONS].map((file) => ({
      file,
      search: FORGOTTEN,
      replace: 'isForgotten(stored, now)',
    })),
  },
  {
    name: 'completed',
    says: 'a completed key is a duplicate',
    invariant: 'completedDoesNotRunAgain',
    patches: [runsAgain("    case 'COMPLETED':\n      return {\n        outcome: {", 'COMPLETED')],
  },
  {
    name: 'parked',
    says: 'a parked key waits for a person',
    invariant: 'parkedDoesNotRun',
    patches: [runsAgain("    case 'PARKED':\n      return { outcome: { status: 'parked'", 'PARKED')],
  },
  {
    name: 'attempts grow',
    says: 'every claim has the next attempt',
    invariant: 'attemptsOnlyGrow',
    patches: [{ file: TRANSITIONS, search: 'attempt: attempt + 1,', replace: 'attempt,' }],
  },
  {
    name: 'start',
    says: 'a lease that lapsed before the start is no death',
    invariant: 'unstartedDoesNotDie',
    patches: [{ file: TRANSITIONS, search: 'stored.started === false', replace: NEVER }],
  },
  {
    name: 'own claim',
    says: 'an attempt that meets its own claim has acquired it',
    invariant: 'ownClaimIsNoConflict',
    patches: [
      {
        file: TRANSITIONS,
        search: "stored.status === 'IN_PROGRESS' && stored.owner === request.owner",
        replace: NEVER,
      },
    ],
  },
  {
    name: 'payload',
    says: 'another payload is a mismatch',
    invariant: 'otherPayloadsAreMismatches',
    patches: [
      { file: TRANSITIONS, search: 'if (isOtherPayload(stored, request))', replace: `if (${NEVER})` },
    ],
  },
  {
    name: 'settled',
    says: 'only what is in progress can be settled',
    invariant: 'committedIsCompleted',
    patches: [
      {
        file: TRANSITIONS,
        search: "stored.status === 'IN_PROGRESS' && stored.owner === owner;",
        replace: 'stored.owner === owner;',
      },
    ],
  },
  {
    name: 'owner of an end',
    says: 'a settlement needs its own owner in the row',
    invariant: 'lateOwnerChangesNothing',
    patches: [
      {
        file: MEMORY,
        search: 'if (isOwnedBy(stored, settlement.owner)) {',
        replace: "if (stored?.status === 'IN_PROGRESS') {",
      },
    ],
  },
  {
    name: 'owner of an extension',
    says: 'an extension needs its own owner in the row',
    step: 'stepOfLeases',
    invariant: 'lateOwnerChangesNothing',
    patches: [
      { file: MEMORY, search: '!isOwnedBy(stored, extension.owner)', replace: IN_PROGRESS_OF_ANYBODY },
    ],
  },
  {
    name: 'owner of a start',
    says: 'the mark of a start needs its own owner in the row',
    step: 'stepOfLeases',
    invariant: 'lateOwnerChangesNothing',
    patches: [{ file: MEMORY, search: '!isOwnedBy(stored, owner)', replace: IN_PROGRESS_OF_ANYBODY }],
  },
  {
    name: 'owner of a commit',
    says: 'a transaction needs its own owner in the row',
    invariant: 'lateOwnerChangesNothing',
    patches: [
      { file: MEMORY, search: '!isOwnedBy(stored, completion.owner)', replace: IN_PROGRESS_OF_ANYBODY },
      {
        file: MEMORY,
        search: COMMITTED,
        replace: "change(stored, changeOfSettlement(completion, clock.now())); return 'stored';",
      },
    ],
  },
  {
    name: 'one transaction',
    says: 'an effect is written together with the completion',
    invariant: 'committedIsCompleted',
    patches: [{ file: MEMORY, search: COMMITTED, replace: "return 'stored';" }],
  },
  {
    name: 'own end',
    says: 'an attempt that meets its own end has stored it',
    invariant: 'answersAreTrue',
    patches: [
      {
        file: MEMORY,
        search: "return isAlreadySettled(stored, settlement) ? 'stored' : 'lost';",
        replace: "return 'lost';",
      },
      {
        file: MEMORY,
        search: "return isAlreadySettled(stored, completion) ? 'stored' : 'lost';",
        replace: "return 'lost';",
      },
    ],
  },
  {
    name: 'leases grow',
    says: 'an extension never makes a lease shorter',
    invariant: 'leasesOnlyGrow',
    patches: [{ file: MEMORY, search: 'if (extended.leaseUntil >= stored.leaseUntil) ', replace: '' }],
  },
  {
    name: 'new owner',
    says: 'after a change by a person, the row is no longer its owner’s',
    invariant: 'answersAreTrue',
    patches: [{ file: OPERATIONS, search: 'owner: operation.owner,', replace: 'owner: stored.owner,' }],
  },
  {
    name: 'own change',
    says: 'a change that is sent again is done once, and done',
    invariant: 'answersAreTrue',
    patches: [
      { file: OPERATIONS, search: 'if (stored.owner === operation.owner)', replace: `if (${NEVER})` },
    ],
  },
  {
    name: 'seen',
    says: 'people change a claim only as they saw it',
    invariant: 'peopleChangeWhatTheySaw',
    patches: [{ file: OPERATIONS, search: 'if (!isAsSeen(stored, operation))', replace: `if (${NEVER})` }],
  },
  {
    name: 'running',
    says: 'people do not end a live lease, unless they force it',
    invariant: 'peopleWaitForLeases',
    patches: [{ file: OPERATIONS, search: "if (isLive) return refused('running', stored);", replace: '' }],
  },
  {
    name: 'done',
    says: 'people do not have what is completed run again, unless they force it',
    invariant: 'peopleDoNotUndoCompletions',
    patches: [{ file: OPERATIONS, search: "stored.status === 'COMPLETED' &&", replace: `${NEVER} &&` }],
  },
];

/** A status from which a key is claimed as after a failure. */
function runsAgain(search: string, status: string): Patch {
  const line = `    case '${status}':\n`;
  return { file: TRANSITIONS, search, replace: `${line}      ${RUN_AGAIN}\n${search.slice(line.length)}` };
}
