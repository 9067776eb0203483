import {
  type Attempt,
  attemptOf,
  clockOf,
  type Instance,
  type Person,
  personOf,
  type Row,
  rowIn,
  type State,
} from './state.ts';

/**
 * A text for each state, equal for states that have the same future. Times only matter by how far away they are, and what
 * every clock has passed is past, however long ago: so the walk needs no last time. What an attempt or a person knew matters no
 * more once they take no step any more.
 */
export function stateKey(state: State, { tolerance }: Instance): string {
  const past = -tolerance - 1;
  const away = (time: number): number => Math.max(past, time - state.now);
  let text = '';
  for (const key in state.rows) {
    text += `|${rowKey(rowIn(state, key), away)}${Math.max(0, (state.promised[key] ?? 0) - state.now)}`;
  }
  for (const who in state.attempts) {
    const mine = attemptOf(state, who);
    text += `|${clockOf(state, who) - state.now}${attemptKey(mine, away)}`;
    if (mine.phase === 'ending') text += state.ends[who];
    if (mine.phase === 'held' || mine.phase === 'running') text += state.overridden.includes(who);
    if (state.effects.includes(who)) text += `,committed,${state.ends[who]}`;
  }
  for (const who in state.people)
    text += `|${clockOf(state, who) - state.now}${personKey(personOf(state, who))}`;
  return text;
}

function rowKey(row: Row, away: (time: number) => number): string {
  if (row.status === 'ABSENT') return '-,';
  const {
    status,
    owner,
    attempt,
    releases,
    crashes,
    started,
    leaseUntil,
    expiresAt,
    payload,
    error,
    changes,
  } = row;
  const lives = `${away(leaseUntil)},${away(expiresAt)}`;
  return `${status},${owner},${attempt},${releases},${crashes},${started},${lives},${payload},${error},${changes},`;
}

function attemptKey(mine: Attempt, away: (time: number) => number): string {
  const { phase, key, payload, marks, leaseUntil, releases, sent } = mine;
  if (phase === 'new') return 'new';
  if (phase === 'ended' || phase === 'dead') return 'ended';
  return `${phase},${key},${payload},${marks},${away(leaseUntil)},${releases},${sent},`;
}

function personKey({ phase, key, status, owner, attempt, operation, force }: Person): string {
  return phase === 'ended' ? phase : `${phase},${key},${status},${owner},${attempt},${operation},${force},`;
}
