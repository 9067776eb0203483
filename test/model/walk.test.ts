import { describe, expect, it } from '@jest/globals';
import { brokenInvariant } from '../../lab/model/invariants.ts';
import { stateKey } from '../../lab/model/state-key.ts';
import { walk } from '../../lab/model/walk.ts';
import { type Instance, NEW, type State } from '../../lab/model/state.ts';
import { initialStates, successors } from '../../lab/model/transition-relation.ts';

const ONE_ATTEMPT = {
  keys: ['k'],
  owners: ['a'],
  people: [],
  payloads: ['p'],
  tolerance: 0,
  lastTime: Infinity,
  mostAttempts: 1,
};

/** Of each depth. */
const MOST_STATES = 200;
const DEPTH = 8;

/** What can follow, without saying which attempt does it. */
function futureOf(state: State, instance: Instance): string {
  const follows = successors(state, instance).map((next) => {
    const { name, how, ticks, fate, answer } = next.last;
    const leaseUntil = answer.leaseUntil && Math.max(-1, answer.leaseUntil - state.now);
    return JSON.stringify([name, how, ticks, fate, { ...answer, leaseUntil }, stateKey(next, instance)]);
  });
  return follows.toSorted().join('\n');
}

describe('the walk', () => {
  it('ends, although time does not, and finds every invariant kept', () => {
    const { states, steps, violation } = walk(ONE_ATTEMPT);
    expect(violation).toBeUndefined();
    expect(states).toBeGreaterThan(50);
    expect(Object.keys(steps)).toEqual(
      expect.arrayContaining(['acquire', 'start', 'extend', 'settle', 'commit', 'die', 'pass', 'delete']),
    );
  });

  it('takes states for one only if they differ in nothing that matters', () => {
    const [state] = initialStates(ONE_ATTEMPT);
    if (state === undefined) throw new Error('There is no first state');
    expect(stateKey({ ...state, now: 5 }, ONE_ATTEMPT)).toBe(stateKey(state, ONE_ATTEMPT));
    expect(stateKey({ ...state, promised: { k: 1 } }, ONE_ATTEMPT)).not.toBe(stateKey(state, ONE_ATTEMPT));
  });

  it('takes states for one only if the same can follow', () => {
    const instance = { ...ONE_ATTEMPT, owners: ['a', 'b'] };
    const futures = new Map<string, string>();
    let compared = 0;
    let states = initialStates(instance);
    for (let depth = 0; depth < DEPTH; depth += 1) {
      const all = states.flatMap((state) => successors(state, instance));
      states = all.filter((_, index) => index % Math.ceil(all.length / MOST_STATES) === 0);
      for (const state of states) {
        const key = stateKey(state, instance);
        const future = futureOf(state, instance);
        const known = futures.get(key);
        if (known !== undefined) compared += 1;
        expect(future).toBe(known ?? future);
        futures.set(key, future);
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('sees an invariant that does not hold', () => {
    const [state] = initialStates({ ...ONE_ATTEMPT, owners: ['a', 'b'] });
    if (state === undefined) throw new Error('There is no first state');
    const held = { ...NEW, phase: 'running', key: 'k', payload: 'p' } as const;
    const attempts = { a: { ...held, leaseUntil: 2 }, b: { ...held, leaseUntil: 1 } };
    const instance = { ...ONE_ATTEMPT, owners: ['a', 'b'] };
    expect(brokenInvariant({ ...state, attempts }, instance)).toBe('noTwoLiveLeases');
    expect(brokenInvariant({ ...state, attempts, now: 1 }, instance)).toBeUndefined();
  });
});
