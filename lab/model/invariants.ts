import {
  attemptOf,
  clockOf,
  type Instance,
  isForgottenAt,
  isSameRow,
  personOf,
  type Row,
  rowIn,
  type State,
} from './state.ts';

type Invariant = (state: State, instance: Instance) => boolean;

/** The invariants of lab/model/claim.qnt, by their names there. `last` is the step that led to the state. */
export const invariants = {
  noTwoLiveLeases: (state, { owners }) =>
    !owners.some((a) =>
      owners.some(
        (b) =>
          a < b && attemptOf(state, a).key === attemptOf(state, b).key && holds(state, a) && holds(state, b),
      ),
    ),
  oneCompletionWithinRetention: (state, instance) =>
    !(isWritten(state) && isByAttempt(state, instance) && state.last.after.status === 'COMPLETED') ||
    state.last.promised <= state.now,
  completedDoesNotRunAgain: (state) =>
    !(isWritten(state) && state.last.name === 'acquire') || state.last.promised <= state.now,
  lateOwnerChangesNothing: (state, instance) =>
    !(isByAttempt(state, instance) && isWritten(state) && state.last.name !== 'acquire') ||
    isHeldByActor(state),
  attemptsOnlyGrow: (state) => {
    const { name, before, after } = state.last;
    const isJudged = isWritten(state) && after.status !== 'ABSENT' && isRemembered(before, state.now);
    return !isJudged || after.attempt >= before.attempt + (name === 'acquire' ? 1 : 0);
  },
  parkedDoesNotRun: (state) =>
    !(isWritten(state) && state.last.name === 'acquire') ||
    !(state.last.before.status === 'PARKED' && isRemembered(state.last.before, state.now)),
  committedIsCompleted: (state, { keys }) =>
    state.effects.every(
      (who) =>
        state.ends[who] === 'complete' &&
        keys.every((key) => rowIn(state, key).owner !== who || rowIn(state, key).status === 'COMPLETED'),
    ),
  forgottenCountsAsAbsent: (state, { tolerance }) => {
    const { answer, before, actor } = state.last;
    const isJudged = answer.status === 'acquired' && before.status !== 'ABSENT';
    return !isJudged || !isForgottenAt(before, clockOf(state, actor) - tolerance) || answer.attempt === 1;
  },
  refusalsEnd: (state, { tolerance }) => {
    const { name, answer, before, actor } = state.last;
    const isRefused = ['duplicate', 'parked', 'conflict', 'mismatch'].includes(answer.status);
    return name !== 'acquire' || !isRefused || !isForgottenAt(before, clockOf(state, actor) - tolerance);
  },
  ownClaimIsNoConflict: (state) => {
    const { name, before, answer, fate } = state.last;
    if (name !== 'acquire' || !isHeldByActor(state) || !isRemembered(before, state.now)) return true;
    return fate === 'unsent' || (answer.status === 'acquired' && !isWritten(state));
  },
  otherPayloadsAreMismatches: (state) => {
    const { name, before, after } = state.last;
    if (!isWritten(state) || name !== 'acquire' || !isRemembered(before, state.now)) return true;
    return after.payload === '' || before.payload === '' || after.payload === before.payload;
  },
  leasesOnlyGrow: ({ last: { name, before, after } }) =>
    name !== 'extend' || after.leaseUntil >= before.leaseUntil,
  unstartedDoesNotDie: (state) => {
    const { name, before, after } = state.last;
    const isJudged =
      isWritten(state) && name === 'acquire' && before.started === 'no' && before.status === 'IN_PROGRESS';
    return !isJudged || after.crashes <= before.crashes;
  },
  answersAreTrue: (state, instance) => {
    const { name, answer, actor, before } = state.last;
    const isEnd = name === 'settle' || name === 'commit';
    if (isEnd && answer.status === 'stored' && state.ends[actor] !== endAsked(state)) return false;
    if (isByAttempt(state, instance) && answer.status === 'lost') {
      if (isHeldByActor(state)) return false;
      if (isEnd && before.owner === actor && showsEnd(before, endAsked(state))) return false;
    }
    return !(name === 'operate' && answer.status === 'changed') || before.owner !== actor;
  },
  peopleChangeWhatTheySaw: (state) => {
    const { name, before, actor } = state.last;
    if (name !== 'operate' || !isWritten(state)) return true;
    const { status, owner, attempt } = personOf(state, actor);
    return before.status === status && before.owner === owner && before.attempt === attempt;
  },
  peopleWaitForLeases: (state, { tolerance }) => {
    const { name, before, ticks } = state.last;
    const isJudged = isWritten(state) && name === 'operate' && ticks === 0 && before.status === 'IN_PROGRESS';
    return !isJudged || state.now + tolerance >= before.leaseUntil;
  },
  peopleDoNotUndoCompletions: (state) => {
    const { name, before, ticks, how } = state.last;
    const isJudged = isWritten(state) && name === 'operate' && ticks === 0 && before.status === 'COMPLETED';
    return !isJudged || how === 'resolve' || how === 'forget';
  },
} as const satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof invariants;
export const invariantNames = Object.keys(invariants) as InvariantName[];

/** The first invariant that does not hold. */
export function brokenInvariant(state: State, instance: Instance): InvariantName | undefined {
  return invariantNames.find((name) => !invariants[name](state, instance));
}

function isWritten({ last: { before, after } }: State): boolean {
  return before !== after && !isSameRow(before, after);
}

function isByAttempt({ last: { actor } }: State, { owners }: Instance): boolean {
  return owners.includes(actor);
}

function isHeldByActor({ last: { before, actor } }: State): boolean {
  return before.status === 'IN_PROGRESS' && before.owner === actor;
}

/** Whether a row is remembered by every clock. */
function isRemembered(row: Row, now: number): boolean {
  return row.status !== 'ABSENT' && !isForgottenAt(row, now);
}

/** Whether an attempt believes that it has the key for itself. */
function holds(state: State, who: string): boolean {
  const { phase, leaseUntil } = attemptOf(state, who);
  return (
    (phase === 'held' || phase === 'running') &&
    leaseUntil > clockOf(state, who) &&
    !state.overridden.includes(who)
  );
}

function endAsked({ last: { how } }: State): string {
  return how === 'commit' ? 'complete' : how;
}

function showsEnd({ status, error }: Row, end: string): boolean {
  if (end === 'complete') return status === 'COMPLETED';
  if (end === 'park') return status === 'PARKED';
  return status === 'FAILED' && (end === 'fail') === (error !== '');
}
