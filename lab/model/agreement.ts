import { isDeepStrictEqual } from 'node:util';
import type { Instance, State, StepName } from './state.ts';
import { initialStates, successors } from './transition-relation.ts';

/** The first step of a trace of the specification that the walk's transition relation does not have; undefined if it has all. */
export function disagreement(trace: readonly State[], instance: Instance): string | undefined {
  const [first] = trace;
  if (first === undefined || !initialStates(instance).some((state) => isDeepStrictEqual(state, first))) {
    return 'the first state is none of those of the walk';
  }
  for (const [index, after] of trace.entries()) {
    const before = trace[index - 1];
    if (before === undefined) continue;
    if (!successors(before, instance).some((state) => isSame(state, after))) {
      return `step ${index} is none of the walk: ${JSON.stringify(after.last)}`;
    }
  }
  return undefined;
}

/**
 * What the walk lets follow a state and the specification does not, or the other way round; undefined where both have the same
 * steps. `specified`: those of the specification.
 */
export function difference(
  state: State,
  specified: readonly State[],
  instance: Instance,
): string | undefined {
  const walked = successors(state, instance);
  const lacking = (from: readonly State[], among: readonly State[]): State | undefined =>
    from.find((one) => !among.some((other) => isSame(one, other)));
  const only = lacking(walked, specified);
  if (only !== undefined) return `the specification has no such step: ${JSON.stringify(only.last)}`;
  const missing = lacking(specified, walked);
  return missing && `the walk has no such step: ${JSON.stringify(missing.last)}`;
}

function isSame(a: State, b: State): boolean {
  return a.last.name === b.last.name && a.last.actor === b.last.actor && isDeepStrictEqual(a, b);
}

/** How often each kind of step is in the traces, with what decides it: which steps are never taken shows as absent. */
export function coverage(traces: readonly (readonly State[])[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const trace of traces) {
    for (const { last } of trace) {
      if (last.name === 'init') continue;
      const name = kindOf(last);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

function kindOf({ name, how, fate, answer, ticks, before }: State['last']): string {
  if (fate === 'unsent') return `${name}: lost on its way`;
  if (name === 'acquire') {
    const isOwn = answer.status === 'acquired' && answer.attempt === before.attempt;
    const kind =
      isOwn && before.status !== 'ABSENT' ? 'acquired before' : answer.tookOver ? 'takeover' : answer.status;
    return fate === 'unheard' ? `${name}: answer lost` : `${name}: ${kind}`;
  }
  if (fate === 'unheard') return `${name}: answer lost`;
  if (name === 'operate') return `${how}${ticks === 1 ? ', forced' : ''}: ${answer.status}`;
  if (name === 'settle') return `${how}: ${answer.status}`;
  return answer.status === '' ? name : `${name}: ${answer.status}`;
}

const LOSABLE: readonly StepName[] = ['acquire', 'start', 'extend', 'settle', 'commit', 'operate'];
const PEOPLES = ['release', 'resolve', 'park', 'forget'];

const ACQUIRED = ['acquired', 'acquired before', 'takeover', 'conflict', 'duplicate', 'parked', 'mismatch'];
const UNTOLD: readonly string[] = ['startUnmarked', 'die', 'look', 'pass', 'delete'];

/** What the traces have to reach together. */
export const kinds: readonly string[] = [
  ...LOSABLE.flatMap((name) => [`${name}: lost on its way`, `${name}: answer lost`]),
  ...ACQUIRED.map((kind) => `acquire: ${kind}`),
  ...['extend', 'commit', 'fail', 'park', 'release'].flatMap((name) => [`${name}: stored`, `${name}: lost`]),
  // Refused only after a change by force, or by another attempt that was quicker: too rare to be asked for.
  'start: stored',
  'complete: stored',
  ...PEOPLES.flatMap((kind) => [`${kind}: done`, `${kind}: running`, `${kind}: changed`, `${kind}: absent`]),
  ...PEOPLES.flatMap((kind) => [`${kind}, forced: done`, `${kind}, forced: changed`]),
  'release: completed',
  'park: completed',
].concat(UNTOLD);
