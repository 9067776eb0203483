import { acquiring, type Decision, decideOn, ending, extending, operating, starting } from './decisions.ts';
import { PLAIN, requestsIn } from './requests.ts';
import {
  ABSENT,
  type Attempt,
  attemptOf,
  clockOf,
  type End,
  type Fate,
  type Instance,
  isForgottenAt,
  isSameRow,
  LEASE,
  NEW,
  NOBODY,
  NOTHING,
  only,
  type Operation,
  type Person,
  personOf,
  type Phase,
  type Row,
  rowIn,
  type State,
  type StepName,
} from './state.ts';

const requests = requestsIn(PLAIN);
const FATES: readonly Fate[] = ['heard', 'unheard', 'unsent'];
const OPERATIONS: readonly Operation[] = ['release', 'resolve', 'park', 'forget'];
const NOT_COMPLETED: readonly End[] = ['fail', 'park', 'release'];
const ENDS_OF_HANDLERS: readonly End[] = ['complete', ...NOT_COMPLETED];

/** The first states: one for each way in which the clocks may differ. */
export function initialStates(instance: Instance): State[] {
  const { keys, owners, people, tolerance } = instance;
  const skews = [...owners, ...people].reduce<Record<string, number>[]>(
    (all, who) => all.flatMap((skew) => range(tolerance).map((ahead) => ({ ...skew, [who]: ahead }))),
    [{}],
  );
  return skews.map((skew) => ({
    now: 0,
    skew,
    rows: each(keys, ABSENT),
    attempts: each(owners, NEW),
    people: each(people, NOBODY),
    promised: each(keys, 0),
    ends: each(owners, ''),
    effects: [],
    overridden: [],
    last: NOTHING,
  }));
}

/**
 * Every step that can follow: the actions of lab/model/claim.qnt, in the same order, with the decisions of the code in place of
 * those of the specification.
 */
export function successors(state: State, instance: Instance): State[] {
  const next: State[] = [];
  for (const who of instance.owners) attemptSteps(state, instance, who, next);
  for (const who of instance.people) personSteps(state, instance, who, next);
  if (state.now < instance.lastTime) next.push({ ...told(state, 'pass', '', ''), now: state.now + 1 });
  for (const key of instance.keys) {
    const row = rowIn(state, key);
    if (row.status === 'ABSENT' || !isForgottenAt(row, state.now - instance.tolerance)) continue;
    next.push({ ...told(state, 'delete', '', key), rows: { ...state.rows, [key]: ABSENT } });
  }
  return next;
}

function attemptSteps(state: State, instance: Instance, who: string, next: State[]): void {
  const mine = attemptOf(state, who);
  switch (mine.phase) {
    case 'new':
      for (const key of instance.keys)
        for (const payload of instance.payloads)
          for (const marks of [true, false])
            next.push(...ask(state, instance, who, { ...NEW, key, payload, marks }));
      return;
    case 'asking': {
      next.push(...ask(state, instance, who, mine));
      const { status, owner, releases } = rowIn(state, mine.key);
      if (status !== 'IN_PROGRESS' || owner !== who) break;
      next.push(...settle(state, who, { ...mine, releases }, 'release'));
      break;
    }
    case 'held':
      if (mine.leaseUntil > clockOf(state, who)) {
        if (mine.marks) next.push(...start(state, who, mine));
        else
          next.push({
            ...told(state, 'startUnmarked', who, mine.key),
            attempts: moved(state, who, mine, 'running'),
          });
      }
      for (const end of NOT_COMPLETED) next.push(...settle(state, who, mine, end));
      extensions(state, who, mine, next);
      break;
    case 'running':
      for (const end of ENDS_OF_HANDLERS) next.push(...settle(state, who, mine, end));
      next.push(...commit(state, who, mine));
      extensions(state, who, mine, next);
      break;
    case 'ending': {
      for (const end of endsAgain(mine)) next.push(...settle(state, who, mine, end));
      if (mine.commits) next.push(...commit(state, who, mine));
      if (mine.leaseUntil === 0) next.push(...ask(state, instance, who, { ...mine, releases: 0, sent: '' }));
      extensions(state, who, mine, next); // renewals go on while an end is on its way
      break;
    }
    case 'ended':
    case 'dead':
      return;
  }
  next.push({
    ...told(state, 'die', who, mine.key),
    attempts: { ...state.attempts, [who]: { ...NEW, phase: 'dead' } },
  });
}

function ask(state: State, { tolerance }: Instance, who: string, mine: Attempt): State[] {
  const request = requests.acquire(who, mine);
  const decision = decideOn(rowIn(state, mine.key), mine.key, (stored) =>
    acquiring(stored, request, clockOf(state, who), tolerance),
  );
  const { status, leaseUntil, releases } = decision.answer;
  return FATES.map((fate) => ({
    ...stored(state, {
      name: 'acquire',
      who,
      key: mine.key,
      how: mine.marks ? 'marks' : '',
      ticks: 0,
      fate,
      decision,
    }),
    attempts:
      fate !== 'heard'
        ? moved(state, who, mine, 'asking')
        : status === 'acquired'
          ? moved(state, who, { ...mine, leaseUntil, releases }, 'held')
          : moved(state, who, mine, 'ended'),
  }));
}

function start(state: State, who: string, mine: Attempt): State[] {
  const decision = decideOn(rowIn(state, mine.key), mine.key, (stored) =>
    starting(stored, { owner: who }, clockOf(state, who)),
  );
  const phase = decision.answer.status === 'stored' ? 'running' : 'ended';
  return FATES.map((fate) => {
    const after = stored(state, { name: 'start', who, key: mine.key, how: '', ticks: 0, fate, decision });
    return fate === 'heard' ? { ...after, attempts: moved(state, who, mine, phase) } : after;
  });
}

function extensions(state: State, who: string, mine: Attempt, next: State[]): void {
  const at = clockOf(state, who);
  for (const ticks of [1, LEASE]) {
    const extension = requests.extension(who, mine.key, ticks);
    const decision = decideOn(rowIn(state, mine.key), mine.key, (stored) => extending(stored, extension, at));
    for (const fate of FATES) {
      const after = stored(state, { name: 'extend', who, key: mine.key, how: '', ticks, fate, decision });
      if (fate !== 'heard' || mine.phase === 'ending') next.push(after);
      else if (decision.answer.status === 'stored') {
        const leaseUntil = Math.max(mine.leaseUntil, at + ticks);
        next.push({ ...after, attempts: moved(state, who, { ...mine, leaseUntil }, mine.phase) });
      } else next.push({ ...after, attempts: moved(state, who, mine, 'ended') });
    }
  }
}

/** The same end again, and after a commit that is not known to be written, any but a completion. */
function endsAgain({ sent }: Attempt): readonly End[] {
  if (sent === '') return [];
  return sent === 'commit' ? NOT_COMPLETED : [sent];
}

function settle(state: State, who: string, mine: Attempt, end: End): State[] {
  const at = clockOf(state, who);
  const decision = decideEnd(rowIn(state, mine.key), mine, who, end, at);
  return FATES.map((fate) => ended(state, who, mine, { name: 'settle', how: end, end, fate, decision }));
}

function decideEnd(row: Row, { key, releases }: Attempt, who: string, end: End, at: number): Decision {
  const settlement = requests.settlement(who, key, end, releases);
  return decideOn(row, key, (stored) => ending(stored, settlement, at));
}

function commit(state: State, who: string, mine: Attempt): State[] {
  const row = rowIn(state, mine.key);
  const decision = decideEnd(row, mine, who, 'complete', clockOf(state, who));
  const isDone = decision.answer.status === 'stored' && decision.row !== row;
  return FATES.map((fate) => {
    const after = ended(state, who, mine, { name: 'commit', how: 'commit', end: 'complete', fate, decision });
    return isDone && fate !== 'unsent' ? { ...after, effects: joined(state.effects, who) } : after;
  });
}

function ended(
  state: State,
  who: string,
  mine: Attempt,
  {
    name,
    how,
    end,
    fate,
    decision,
  }: {
    readonly name: StepName;
    readonly how: End | 'commit';
    readonly end: End;
    readonly fate: Fate;
    readonly decision: Decision;
  },
): State {
  const isWritten = fate !== 'unsent' && decision.row !== rowIn(state, mine.key);
  // Of a commit that arrives again beside another end, nobody hears any more.
  const isUnheard = how === 'commit' && mine.sent !== '' && mine.sent !== 'commit';
  const commits = mine.commits || how === 'commit';
  return {
    ...stored(state, { name, who, key: mine.key, how, ticks: 0, fate, decision }),
    attempts: isUnheard
      ? state.attempts
      : fate === 'heard'
        ? moved(state, who, { ...mine, sent: '' }, 'ended')
        : moved(state, who, { ...mine, sent: how, commits }, 'ending'),
    ...(isWritten && { ends: { ...state.ends, [who]: end } }),
  };
}

function personSteps(state: State, instance: Instance, who: string, next: State[]): void {
  const mine = personOf(state, who);
  switch (mine.phase) {
    case 'new':
      for (const key of instance.keys) {
        const row = rowIn(state, key);
        if (row.status === 'ABSENT' || isForgottenAt(row, clockOf(state, who))) continue;
        const { status, owner, attempt } = row;
        const person: Person = { ...NOBODY, phase: 'seen', key, status, owner, attempt };
        next.push({ ...told(state, 'look', who, key), people: { ...state.people, [who]: person } });
      }
      return;
    case 'seen':
      for (const operation of OPERATIONS)
        for (const force of [true, false])
          next.push(...operate(state, instance, who, { ...mine, operation, force }));
      return;
    case 'asking':
      next.push(...operate(state, instance, who, mine));
      return;
    case 'ended':
  }
}

function operate(state: State, { tolerance }: Instance, who: string, mine: Person): State[] {
  const row = rowIn(state, mine.key);
  const operation = requests.operation(who, mine);
  const decision = decideOn(row, mine.key, (stored) =>
    operating(stored, operation, clockOf(state, who), tolerance),
  );
  const isEnded = decision.row !== row && row.status === 'IN_PROGRESS' && mine.force;
  return FATES.map((fate) => ({
    ...stored(state, {
      name: 'operate',
      who,
      key: mine.key,
      how: mine.operation,
      ticks: mine.force ? 1 : 0,
      fate,
      decision,
      isByPerson: true,
    }),
    people: { ...state.people, [who]: { ...mine, phase: fate === 'heard' ? 'ended' : 'asking' } },
    ...(isEnded && fate !== 'unsent' && { overridden: joined(state.overridden, row.owner) }),
  }));
}

interface Request {
  readonly name: StepName;
  readonly who: string;
  readonly key: string;
  readonly how: string;
  readonly ticks: number;
  readonly fate: Fate;
  readonly decision: Decision;
  readonly isByPerson?: boolean;
}

/** What a request changes besides what who asked knows. */
function stored(
  state: State,
  { name, who, key, how, ticks, fate, decision, isByPerson = false }: Request,
): State {
  const before = rowIn(state, key);
  const isWritten = fate !== 'unsent' && !isSameRow(decision.row, before);
  const after = isWritten ? decision.row : before;
  const promised = state.promised[key] ?? 0;
  const answer = fate === 'unsent' ? only('') : decision.answer;
  const last = { name, actor: who, key, how, ticks, fate, answer, before, after, promised };
  if (!isWritten) return { ...state, last };
  const skew = state.skew[who] ?? 0;
  const next = after.status === 'COMPLETED' ? after.expiresAt - skew : isByPerson ? 0 : promised;
  return {
    ...state,
    rows: { ...state.rows, [key]: after },
    promised: { ...state.promised, [key]: next },
    last,
  };
}

/** A step that the store hears nothing of. */
function told(state: State, name: StepName, actor: string, key: string): State {
  return { ...state, last: { ...NOTHING, name, actor, key } };
}

function moved({ attempts }: State, who: string, mine: Attempt, phase: Phase): State['attempts'] {
  return { ...attempts, [who]: { ...mine, phase } };
}

function joined(names: readonly string[], name: string): readonly string[] {
  return names.includes(name) ? names : [...names, name].toSorted();
}

function each<Value>(names: readonly string[], value: Value): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

function range(last: number): number[] {
  return Array.from({ length: last + 1 }, (_, number) => number);
}
