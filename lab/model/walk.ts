import { brokenInvariant, type InvariantName } from './invariants.ts';
import { attemptOf, type Instance, type State, type StepName } from './state.ts';
import { stateKey } from './state-key.ts';
import { initialStates, successors } from './transition-relation.ts';

export interface WalkResult {
  readonly states: number;
  readonly transitions: number;
  /** How many steps the state that is farthest away is from the first. */
  readonly depth: number;
  readonly steps: Readonly<Partial<Record<StepName, number>>>;
  /** The steps that lead to the first state in which an invariant does not hold. */
  readonly violation?: { readonly invariant: InvariantName; readonly trace: readonly State[] };
}

/** Two attempts that never hear an answer could take a key from one another for ever: there is a last one. */
export interface WalkedInstance extends Instance {
  readonly mostAttempts: number;
}

interface Visit {
  readonly state: State;
  readonly from: Visit | undefined;
}

/**
 * Breadth first, through every state that an instance can reach, however late; invariants are checked on every step. States
 * with the same future are one (`stateKey`), and of attempts that have not begun and differ in nothing but their tokens, the
 * first begins first.
 */
export function walk(
  { mostAttempts, ...instance }: WalkedInstance,
  onStep: (state: State) => void = () => undefined,
): WalkResult {
  const seen = new Set<string>();
  const steps: Partial<Record<StepName, number>> = {};
  let transitions = 0;
  let depth = 0;
  let front: Visit[] = [];
  for (const state of initialStates(instance)) {
    seen.add(stateKey(state, instance));
    front.push({ state, from: undefined });
  }
  for (; front.length > 0; depth += 1) {
    const next: Visit[] = [];
    for (const visit of front) {
      for (const state of successors(visit.state, withoutTwins(visit.state, instance))) {
        transitions += 1;
        onStep(state);
        const { name } = state.last;
        if (name !== 'init') steps[name] = (steps[name] ?? 0) + 1;
        const invariant = brokenInvariant(state, instance);
        if (invariant !== undefined) {
          const trace = pathOf({ state, from: visit });
          return { states: seen.size, transitions, depth, steps, violation: { invariant, trace } };
        }
        if (isBeyond(state, mostAttempts)) continue;
        const key = stateKey(state, instance);
        if (seen.has(key)) continue;
        seen.add(key);
        next.push({ state, from: visit });
      }
    }
    front = next;
  }
  return { states: seen.size, transitions, depth: depth - 1, steps };
}

function isBeyond({ rows }: State, mostAttempts: number): boolean {
  return Object.values(rows).some(({ attempt }) => attempt > mostAttempts);
}

function withoutTwins(state: State, instance: Instance): Instance {
  const clocks = new Set<number>();
  const owners = instance.owners.filter((who) => {
    if (attemptOf(state, who).phase !== 'new') return true;
    const clock = state.skew[who] ?? 0;
    return !clocks.has(clock) && clocks.add(clock);
  });
  return { ...instance, owners };
}

function pathOf(visit: Visit): State[] {
  const path: State[] = [];
  for (let at: Visit | undefined = visit; at !== undefined; at = at.from) path.push(at.state);
  return path.toReversed();
}
