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
 * more once they take no step that depends on it. Tokens are only compared: attempts that have changed places are the same.
 */
export function stateKey(state: State, { tolerance }: Instance): string {
  const past = -tolerance - 1;
  const away = (time: number): number => Math.max(past, time - state.now);
  let text = '';
  for (const key in state.rows) {
    text += `|${rowKey(rowIn(state, key), away)}${Math.max(0, (state.promised[key] ?? 0) - state.now)}`;
    text += ownerKey(state, rowIn(state, key).owner);
  }
  for (const who in state.people) {
    text += `|${clockOf(state, who) - state.now}${personKey(personOf(state, who))}`;
    text += ownerKey(state, seenBy(who, state));
  }
  const attempts = Object.keys(state.attempts).map((who) => placeOf(who, state));
  return `${text}|${attempts.toSorted().join('|')}`;
}

/** Of attempts it is said there who owns what: see `placeOf`. */
function ownerKey({ attempts }: State, owner: string): string {
  return attempts[owner] === undefined ? owner : '';
}

function seenBy(person: string, state: State): string {
  const { phase, owner } = personOf(state, person);
  return phase === 'ended' ? '' : owner;
}

/** What an attempt is to a state, without its token. */
function placeOf(who: string, state: State): string {
  const mine = attemptOf(state, who);
  const clock = clockOf(state, who);
  let text = `${clock - state.now}${attemptKey(mine, clock)}`;
  if (!isOver(mine)) text += state.ends[who];
  if (mine.phase === 'held' || mine.phase === 'running') text += state.overridden.includes(who);
  if (state.effects.includes(who)) text += `,committed,${state.ends[who]}`;
  for (const key in state.rows) if (rowIn(state, key).owner === who) text += `,owns ${key}`;
  for (const by in state.people) if (seenBy(by, state) === who) text += `,seen by ${by}`;
  return text;
}

function rowKey(row: Row, away: (time: number) => number): string {
  if (row.status === 'ABSENT') return '-,';
  const { status, attempt, releases, crashes, started, leaseUntil, expiresAt, payload, error, changes } = row;
  const lives = `${away(leaseUntil)},${away(expiresAt)}`;
  return `${status},${attempt},${releases},${crashes},${started},${lives},${payload},${error},${changes},`;
}

/** What it knows, as far as one of its later steps depends on it. */
function attemptKey(mine: Attempt, clock: number): string {
  const { phase, key, payload, marks, leaseUntil, releases, sent, commits } = mine;
  const isHeld = phase === 'held' || phase === 'running';
  if (phase === 'new') return 'new';
  if (isOver(mine)) return 'ended';
  const hasAcquired = leaseUntil > 0;
  const asks = phase === 'held' || !hasAcquired ? `${payload},${marks}` : '';
  const lease = isHeld ? Math.max(0, leaseUntil - clock) : hasAcquired;
  const mayRelease = isHeld || sent === 'commit' || sent === 'release';
  return `${phase},${key},${asks},${lease},${mayRelease && releases},${sent},${commits},`;
}

function isOver({ phase }: Attempt): boolean {
  return phase === 'ended' || phase === 'dead';
}

function personKey({ phase, key, status, attempt, operation, force }: Person): string {
  return phase === 'ended' ? phase : `${phase},${key},${status},${attempt},${operation},${force},`;
}
