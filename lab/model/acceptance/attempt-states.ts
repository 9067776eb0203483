import type { StoreEvent } from '../../simulation/stores/store-history.ts';
import type { Row } from '../state.ts';

/**
 * Where an attempt of the model may be: a phase, with what it has asked for where it waits for an answer, and whether a commit before
 * that may still arrive. Nobody outside knows which answers were heard, so it may be in several places at a time.
 */
export type AttemptStates = ReadonlySet<string>;

export const FRESH: AttemptStates = new Set(['new']);

/** Held, and its handler starts only after the mark of its start. */
const TO_MARK = 'held, to be marked';
const GIVING_BACK = 'giving back';
const AFTER_COMMIT = ' after a commit';

/** After a request of the attempt; nothing where the model has no such step. */
export function afterEvent(states: AttemptStates, event: StoreEvent, before: Row): AttemptStates {
  const next = new Set<string>();
  for (const state of unheardOf(states)) for (const one of step(state, event, before)) next.add(one);
  return next;
}

/** With the steps that no store hears of: a handler that starts without a mark, and a commit that is lost on its way. */
function unheardOf(states: AttemptStates): AttemptStates {
  const all = new Set(states);
  if (all.has('held')) all.add('running');
  if (all.has('running')) all.add('ending commit');
  return all;
}

function step(state: string, event: StoreEvent, before: Row): readonly string[] {
  const { outcome } = event;
  const isLost = outcome === 'lost';
  switch (event.operation) {
    case 'acquire':
      // What was given up may arrive while it is given back.
      if (state !== 'new' && state !== 'asking' && state !== GIVING_BACK) return [];
      if (event.outcome.status !== 'acquired') return ['asking', 'ended'];
      return ['asking', event.item.recordsStart === true ? TO_MARK : 'held'];
    case 'start':
      return state === TO_MARK ? [TO_MARK, isLost ? 'ended' : 'running'] : [];
    case 'extend':
      if (isEnding(state)) return [state]; // renewals go on while an end is on its way
      if (state !== 'held' && state !== TO_MARK && state !== 'running') return [];
      return [state, ...(isLost ? ['ended'] : [])];
    case 'settle': {
      const { end, owner } = event.item;
      const isMine = before.status === 'IN_PROGRESS' && before.owner === owner;
      const isCompleted = end === 'complete';
      const ending = {
        held: !isCompleted && `ending ${end}`,
        [TO_MARK]: !isCompleted && `ending ${end}`,
        running: `ending ${end}`,
        asking: end === 'release' && isMine && GIVING_BACK,
        [GIVING_BACK]: end === 'release' && GIVING_BACK,
        [`ending ${end}`]: state,
        'ending commit': !isCompleted && `ending ${end}${AFTER_COMMIT}`,
        [`ending ${end}${AFTER_COMMIT}`]: state,
      }[state];
      if (typeof ending !== 'string') return [];
      // What the store refuses, such as a result that is too long, leaves the attempt where it was.
      return typeof outcome === 'string' ? ['ended', ending] : [state];
    }
    case 'commit':
      if (state.endsWith(AFTER_COMMIT)) return [state]; // it arrives again, and nobody hears of it
      if (state !== 'running' && state !== 'ending commit') return [];
      // One that is refused leaves the handler where it was.
      return typeof outcome === 'string' ? ['ended', 'ending commit'] : [state];
  }
}

function isEnding(state: string): boolean {
  return state.startsWith('ending') || state === GIVING_BACK;
}
