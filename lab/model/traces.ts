import type { Quint } from './quint/quint.ts';
import type { InstanceName } from './quint/source.ts';
import type { State } from './state.ts';

/** Those whose callers' clocks decide are for some stores, and those whose server's clock does for all. */
const TRACED = ['serverClock', 'ownClocks'] as const satisfies readonly InstanceName[];

export interface Trace {
  readonly instance: InstanceName;
  readonly states: readonly State[];
}

/** As many as the simulator keeps at a time. */
const BATCH = 100;
const STEPS = 30;
const AT_A_TIME = 2;

export interface TraceOptions {
  readonly count: number;
  readonly seed: number;
  readonly quint: Quint;
}

/**
 * Traces of the specification, half of them for each instance, given batch by batch. Throws when one breaks an invariant: the
 * simulator checks all of them after every step.
 */
export async function eachTrace(
  { count, seed, quint }: TraceOptions,
  onBatch: (traces: readonly Trace[]) => Promise<void>,
): Promise<void> {
  const batches = Array.from({ length: Math.ceil(count / BATCH) }, (_, index) => index);
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let index = batches.shift(); index !== undefined; index = batches.shift()) {
        const size = Math.min(BATCH, count - index * BATCH);
        const instance = TRACED[index % TRACED.length] ?? 'serverClock';
        const { isViolated, traces } = await quint.simulate({
          instance,
          samples: size,
          traces: size,
          steps: STEPS,
          seed: seed + index,
          invariant: 'invariants',
        });
        if (isViolated)
          throw new Error(`An invariant of the specification does not hold: seed ${seed + index}`);
        await onBatch(traces.map((states) => ({ instance, states })));
      }
    }),
  );
}
