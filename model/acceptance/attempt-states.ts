import type { StoreEvent } from '../../test/simulation/stores/store-history.ts';
import type { Row } from '../state.ts';

/**
 * Where an attempt of the model may be: a phase, with what it has asked for where it waits for an answer. Nobody outside knows which
 * answers were heard, so it may be in several places at a time.
 */
export type AttemptStates = ReadonlySet<string>;

export const FRESH: AttemptStates = new Set(['new']);

/** After a request of the attempt; nothing where the model has no such step. */
export function afterEvent(states: AttemptStates, event: StoreEvent, before: Row): AttemptStates {
  const next = new Set<string>();
  for (const state of unheardOf(states)) for (const one of step(state, event, before)) next.add(one);
  return next;
}

/** With the steps that no store hears of: a handler that starts without a mark. */
function unheardOf(states: AttemptStates): ReadonlySet<string> {
  return states.has('held') ? new Set([...states, 'running']) : states;
}

function step(state: string, event: StoreEvent, before: Row): readonly string[] {
  const { outcome } = event;
  const isLost = outcome === 'lost';
  switch (event.operation) {
    case 'acquire':
      if (state !== 'new' && state !== 'asking') return [];
      return ['asking', event.outcome.status === 'acquired' ? 'held' : 'ended'];
    case 'start':
      if (state !== 'held') return [];
      return ['held', isLost ? 'ended' : 'running'];
    case 'extend':
      if (state.startsWith('ending')) return [state]; // renewals go on while an end is on its way
      if (state !== 'held' && state !== 'running') return [];
      return [state, ...(isLost ? ['ended'] : [])];
    case 'settle': {
      const { end, owner } = event.item;
      const isMine = before.status === 'IN_PROGRESS' && before.owner === owner;
      const isAble = {
        held: end !== 'complete',
        running: end !== 'release',
        asking: end === 'release' && isMine,
        [`ending ${end}`]: true,
        'ending commit': end === 'fail',
      }[state];
      if (isAble !== true) return [];
      // What the store refuses, such as a result that is too long, leaves the attempt where it was.
      return typeof outcome === 'string' ? ['ended', `ending ${end}`] : [state];
    }
    case 'commit':
      // One that is refused leaves the handler where it was.
      if (state !== 'running' && state !== 'ending commit') return [];
      return typeof outcome === 'string' ? ['ended', 'ending commit'] : [state];
  }
}
