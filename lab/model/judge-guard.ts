import type { Guard } from './guards.ts';
import { invariants } from './invariants.ts';
import { mutantStore } from './mutant-store.ts';
import { memoryAdapter } from './replay/memory.ts';
import { replay, TICK_MS } from './replay/replay.ts';
import type { Quint } from './quint/quint.ts';
import { instanceOf } from './quint/source.ts';
import type { State } from './state.ts';

export interface Verdict {
  readonly guard: string;
  readonly invariant: string;
  /** How many steps the violation took; undefined where none was found. */
  readonly steps: number | undefined;
  /** Why the guard is not shown to matter; undefined where it is. */
  readonly problem: string | undefined;
}

const SAMPLES = 4_000;
const STEPS = 30;

/**
 * Takes a guard out of the specification, has the simulator find its invariant violated, and takes the code through that trace:
 * the code without the guard goes all the way, to a state in which the same invariant does not hold, and the code as it is does not.
 */
export async function judgeGuard(guard: Guard, seed: number, quint: Quint): Promise<Verdict> {
  const { name, invariant } = guard;
  const options = { instance: 'oneKey', samples: SAMPLES, traces: 1, steps: STEPS, seed, invariant } as const;
  const { isViolated, traces } = await quint.simulate({
    ...options,
    without: name,
    ...(guard.step !== undefined && { step: guard.step }),
  });
  const [trace] = traces;
  if (!isViolated || trace === undefined) {
    return { guard: name, invariant, steps: undefined, problem: 'no violation was found' };
  }
  return { guard: name, invariant, steps: trace.length - 1, problem: await problemOf(guard, trace) };
}

async function problemOf(
  { invariant, changes }: Guard,
  trace: readonly State[],
): Promise<string | undefined> {
  const instance = instanceOf('oneKey');
  const toleranceMs = instance.tolerance * TICK_MS;
  const intact = await replay(trace, instance, memoryAdapter().create(toleranceMs), '');
  if (intact.divergence === undefined) return 'the code with the guard does the same';
  const mutant = memoryAdapter(await mutantStore(changes)).create(toleranceMs);
  const { divergence, states } = await replay(trace, instance, mutant, '');
  if (divergence !== undefined) return `the code without the guard does not: ${JSON.stringify(divergence)}`;
  const last = states.at(-1);
  return last !== undefined && !invariants[invariant](last, instance)
    ? undefined
    : 'the invariant holds for what the code did';
}
