import { coverage, disagreement, kinds } from '../agreement.ts';
import type { Quint } from '../quint/quint.ts';
import { instanceOf } from '../quint/source.ts';
import { eachTrace, type Trace } from '../traces.ts';
import { adapters, type StoreName } from './adapters.ts';
import { replay, TICK_MS } from './replay.ts';
import type { StoreAdapter } from './replayed-store.ts';

export interface TraceReport {
  readonly traces: number;
  readonly steps: number;
  /** How many traces each store was taken through. */
  readonly replayed: Readonly<Partial<Record<StoreName, number>>>;
  /** How often each kind of step was taken. */
  readonly coverage: Readonly<Record<string, number>>;
  /** The kinds of steps that no trace takes. */
  readonly never: readonly string[];
  readonly problems: readonly string[];
}

interface Options {
  readonly count: number;
  readonly seed: number;
  readonly stores: readonly StoreName[];
  readonly quint: Quint;
}

/** Several traces at a time, each with keys of its own, so that round trips overlap. */
const AT_A_TIME = 16;
const MOST_PROBLEMS = 5;

/** Makes traces of the specification, compares each with the walk's transition relation, and takes each store through it. */
export async function replayTraces(
  { count, seed, stores, quint }: Options,
  onProgress: (traces: number) => void = () => undefined,
): Promise<TraceReport> {
  const started = await startAll(stores);
  const covered = new Map<string, number>();
  const replayed: Partial<Record<StoreName, number>> = {};
  const problems: string[] = [];
  let traces = 0;
  let steps = 0;
  try {
    await eachTrace({ count, seed, quint }, async (batch) => {
      for (const [name, times] of coverage(batch.map(({ states }) => states))) {
        covered.set(name, (covered.get(name) ?? 0) + times);
      }
      for (let from = 0; from < batch.length; from += AT_A_TIME) {
        await Promise.all(batch.slice(from, from + AT_A_TIME).map(takeThrough));
      }
      onProgress(batch.length);
    });
  } finally {
    for (const { adapter } of started) await adapter.stop();
  }
  return {
    traces,
    steps,
    replayed,
    coverage: Object.fromEntries([...covered].toSorted(([a], [b]) => a.localeCompare(b))),
    never: kinds.filter((kind) => !covered.has(kind)),
    problems,
  };

  async function takeThrough({ instance: name, states }: Trace): Promise<void> {
    traces += 1;
    steps += states.length - 1;
    const prefix = `${traces}#`;
    const instance = instanceOf(name);
    const note = (problem: string | undefined): void => {
      if (problem !== undefined && problems.length < MOST_PROBLEMS) problems.push(problem);
    };
    note(disagreement(states, instance));
    for (const { store, adapter } of started) {
      if (instance.tolerance > 0 && !adapter.takesTolerance) continue;
      const replaying = adapter.create(instance.tolerance * TICK_MS);
      const { divergence } = await replay(states, instance, replaying, prefix);
      replayed[store] = (replayed[store] ?? 0) + 1;
      if (divergence === undefined) continue;
      const last = states[divergence.step]?.last;
      note(`${store}, ${name}: ${JSON.stringify(divergence)} at ${JSON.stringify(last)}`);
    }
  }
}

async function startAll(
  stores: readonly StoreName[],
): Promise<{ readonly store: StoreName; readonly adapter: StoreAdapter }[]> {
  const started: { store: StoreName; adapter: StoreAdapter }[] = [];
  try {
    for (const store of stores) started.push({ store, adapter: await adapters[store]() });
  } catch (error) {
    for (const { adapter } of started) await adapter.stop();
    throw error;
  }
  return started;
}
