import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { guards } from '../../model/guards.ts';
import { invariantNames } from '../../model/invariants.ts';
import { judgeGuard } from '../../model/judge-guard.ts';
import { mutantStore } from '../../model/mutant-store.ts';
import { memoryAdapter } from '../../model/replay/memory.ts';
import { replay, TICK_MS } from '../../model/replay/replay.ts';
import { replayTraces } from '../../model/replay/replay-traces.ts';
import { instanceOf, simulate } from '../../model/specification.ts';

const LONG_MS = 120_000;
const specification = readFileSync('model/claim.qnt', 'utf8');

// All of it is `npm run model`; here are samples, so that a change of the code is seen by the tests.
describe('the specification of the claim', () => {
  it(
    'has traces that the memory store can be taken through, and that are steps of the walk',
    async () => {
      const { problems, replayed } = await replayTraces({ count: 20, seed: 7, stores: ['memory'] });
      expect(problems).toEqual([]);
      expect(replayed).toEqual({ memory: 20 });
    },
    LONG_MS,
  );

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

  it.each(guards.map((guard) => [guard.name, guard] as const))(
    'names code that is there, for the guard "%s"',
    async (_name, { patches }) => {
      expect(typeof (await mutantStore(patches))).toBe('function');
    },
  );

  it(
    'does not hold without a guard, and neither does the code that is taken through the same steps',
    async () => {
      const guard = guards.find(({ name }) => name === 'lease');
      if (guard === undefined) throw new Error('There is no such guard');
      expect(await judgeGuard(guard, 1)).toMatchObject({ invariant: 'noTwoLiveLeases', problem: undefined });
    },
    LONG_MS,
  );

  it(
    'is told from code that does something else',
    async () => {
      const options = {
        instance: 'oneKey',
        samples: 20,
        traces: 20,
        steps: 30,
        invariant: 'invariants',
      } as const;
      const { traces } = await simulate({ ...options, seed: 3 });
      const guard = guards.find(({ name }) => name === 'attempts grow');
      const adapter = memoryAdapter(await mutantStore(guard?.patches ?? []));
      const instance = instanceOf('oneKey');
      const replays = await Promise.all(
        traces.map((trace) => replay(trace, instance, adapter.create(instance.tolerance * TICK_MS), '')),
      );
      expect(replays.some(({ divergence }) => divergence !== undefined)).toBe(true);
    },
    LONG_MS,
  );
});
