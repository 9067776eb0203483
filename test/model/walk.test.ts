import { describe, expect, it } from '@jest/globals';
import { brokenInvariant } from '../../model/invariants.ts';
import { stateKey } from '../../model/state-key.ts';
import { walk } from '../../model/walk.ts';
import { initialStates } from '../../model/transition-relation.ts';

const ONE_ATTEMPT = {
  keys: ['k'],
  owners: ['a'],
  people: [],
  payloads: ['p'],
  tolerance: 0,
  lastTime: Infinity,
  mostAttempts: 1,
};

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

  it('sees an invariant that does not hold', () => {
    const [state] = initialStates({ ...ONE_ATTEMPT, owners: ['a', 'b'] });
    if (state === undefined) throw new Error('There is no first state');
    const held = { phase: 'running', key: 'k', payload: 'p', marks: false, releases: 0, sent: '' } as const;
    const attempts = { a: { ...held, leaseUntil: 2 }, b: { ...held, leaseUntil: 1 } };
    const instance = { ...ONE_ATTEMPT, owners: ['a', 'b'] };
    expect(brokenInvariant({ ...state, attempts }, instance)).toBe('noTwoLiveLeases');
    expect(brokenInvariant({ ...state, attempts, now: 1 }, instance)).toBeUndefined();
  });
});
