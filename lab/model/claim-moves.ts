import { clockOf, isForgottenAt, NEW, NOBODY, rowIn, type Row, type State, type Step } from './state.ts';
import { successors } from './transition-relation.ts';
import { walk } from './walk.ts';

export type Status = Row['status'];

/** One way in which a row changes: by which steps of attempts, and of people. */
export interface Move {
  readonly from: Status;
  readonly to: Status;
  readonly attempts: readonly string[];
  readonly people: readonly string[];
}

const [KEY, FIRST, SECOND, PERSON] = ['k', 'a', 'b', 'x'];
const ONE_ATTEMPT = {
  keys: [KEY],
  owners: [FIRST],
  people: [],
  payloads: ['p'],
  tolerance: 0,
  lastTime: Infinity,
};
const WITH_OTHERS = { ...ONE_ATTEMPT, owners: [FIRST, SECOND], people: [PERSON] };

/**
 * A claim's life: every change of a row that the transition relation has, in the states that one attempt can bring about. In
 * each of them a second attempt, and a person who sees the row as it is, may take a step too.
 */
export function claimMoves(): readonly Move[] {
  const moves = new Map<string, { from: Status; to: Status; attempts: Set<string>; people: Set<string> }>();
  const note = (before: State, { last, rows }: State): void => {
    const after = rows[KEY] ?? rowIn(before, KEY);
    if (after === rowIn(before, KEY)) return;
    // What is past its retention counts as absent.
    const isNew = last.name === 'acquire' && last.answer.attempt === 1;
    const [from, to] = [isNew ? 'ABSENT' : rowIn(before, KEY).status, after.status];
    const move = moves.get(`${from} ${to}`) ?? { from, to, attempts: new Set(), people: new Set() };
    moves.set(`${from} ${to}`, move);
    if (last.actor === PERSON) move.people.add(last.how);
    else move.attempts.add(wordOf(last));
  };
  walk({ ...ONE_ATTEMPT, mostAttempts: 1 }, (state) => {
    const joined = withOthers(state);
    for (const next of successors(joined, WITH_OTHERS)) note(joined, next);
  });
  return [...moves.values()].map(({ attempts, people, ...move }) => ({
    ...move,
    attempts: [...attempts].toSorted(),
    people: [...people].toSorted(),
  }));
}

function withOthers(state: State): State {
  const { status, owner, attempt } = rowIn(state, KEY);
  const isThere = status !== 'ABSENT' && !isForgottenAt(rowIn(state, KEY), clockOf(state, PERSON));
  const person = isThere ? ({ ...NOBODY, phase: 'seen', key: KEY, status, owner, attempt } as const) : NOBODY;
  return {
    ...state,
    skew: { ...state.skew, [SECOND]: 0, [PERSON]: 0 },
    attempts: { ...state.attempts, [SECOND]: NEW },
    ends: { ...state.ends, [SECOND]: '' },
    people: { [PERSON]: person },
  };
}

function wordOf({ name, how, answer }: Step): string {
  if (name === 'settle') return how;
  if (name === 'acquire' && answer.tookOver) return 'acquire after the lease';
  return name === 'delete' ? 'retention is over' : name;
}
