import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { disagreement } from '../../lab/model/agreement.ts';
import { guards } from '../../lab/model/guards.ts';
import { invariantNames } from '../../lab/model/invariants.ts';
import { mutantStore } from '../../lab/model/mutant-store.ts';
import { actionsOfStep, instanceOf } from '../../lab/model/quint/source.ts';
import { memoryAdapter } from '../../lab/model/replay/memory.ts';
import { replay, TICK_MS } from '../../lab/model/replay/replay.ts';
import type { Instance, State } from '../../lab/model/state.ts';
import { initialStates, successors } from '../../lab/model/transition-relation.ts';
import { Random } from '../../lab/simulation/virtual-world/random.ts';

const STEPS = 30;
const specification = readFileSync('lab/model/claim.qnt', 'utf8');
const oneKey = instanceOf('oneKey');

/** Traces of the walk's transition relation; those of the specification take seconds, and are for `npm run lab:model`. */
function tracesOf(instance: Instance, count: number): State[][] {
  const random = new Random('traces');
  return Array.from({ length: count }, () => {
    const trace = [random.pick(initialStates(instance))];
    for (let next = trace; trace.length <= STEPS && next.length > 0;) {
      next = successors(trace.at(-1) as State, instance); // none where all is over, and time too
      if (next.length > 0) trace.push(random.pick(next));
    }
    return trace;
  });
}

async function divergencesOf(
  instance: Instance,
  traces: readonly State[][],
  adapter = memoryAdapter(),
): Promise<unknown[]> {
  const toleranceMs = instance.tolerance * TICK_MS;
  const replays = await Promise.all(
    traces.map((trace) => replay(trace, instance, adapter.create(toleranceMs), '')),
  );
  return replays.flatMap(({ divergence }) => divergence ?? []);
}

describe('the specification of the claim', () => {
  it('has the invariants that the walk checks, by the same names', () => {
    const [, all = ''] = /val invariants = and \{([^}]*)\}/.exec(specification) ?? [];
    const names = all.split(',').flatMap((name) => name.trim() || []);
    expect(names.toSorted()).toEqual(invariantNames.toSorted());
  });

  it('has each guard that is taken out, and no other', () => {
    const named = [...specification.matchAll(/keeps\("([^"]+)"\)|, "(owner of [^"]+)"\)/g)];
    const names = new Set(named.map(([, kept, owned]) => kept ?? owned));
    expect(names).toEqual(new Set(guards.map(({ name }) => name)));
  });

  it('has actions, each of which is compared with the walk', () => {
    const actions = actionsOfStep();
    expect(actions.length).toBeGreaterThan(10);
    for (const action of actions) expect(specification).toContain(`action ${action} = `);
  });
});

describe('a trace', () => {
  it.each(['ownClocks', 'serverClock', 'oneKey'] as const)(
    'is one that the memory store can be taken through: %s',
    async (name) => {
      const instance = instanceOf(name);
      expect(await divergencesOf(instance, tracesOf(instance, 50))).toEqual([]);
    },
  );

  it('is told from code that does something else', async () => {
    const guard = guards.find(({ name }) => name === 'attempts grow');
    const adapter = memoryAdapter(await mutantStore(guard?.changes ?? []));
    expect(await divergencesOf(oneKey, tracesOf(oneKey, 50), adapter)).not.toEqual([]);
  });

  it('is told from one with a step that is none of the walk', () => {
    const [trace = []] = tracesOf(oneKey, 1);
    expect(disagreement(trace, oneKey)).toBeUndefined();
    expect(disagreement(trace.toSpliced(10, 1), oneKey)).toContain('step 10 is none of the walk');
  });
});
