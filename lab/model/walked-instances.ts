import type { WalkedInstance } from './walk.ts';

const ONE_KEY = { keys: ['k'], payloads: ['p'], lastTime: Infinity };
const TWO_ATTEMPTS = { ...ONE_KEY, owners: ['a', 'b'], people: [], mostAttempts: 2 };
const WITH_A_PERSON = { ...ONE_KEY, owners: ['a'], people: ['x'], mostAttempts: 1 };

/** Small instances, the smallest first, which the walk enumerates whole, however late it becomes. */
export const walkedInstances: Readonly<Record<string, WalkedInstance>> = {
  'an attempt and a person': { ...WITH_A_PERSON, tolerance: 0 },
  'two attempts': { ...TWO_ATTEMPTS, tolerance: 0 },
  'an attempt and a person, whose clocks differ': { ...WITH_A_PERSON, tolerance: 1 },
};

/** One that takes minutes, and gigabytes of memory. */
export const longInstances: typeof walkedInstances = {
  'two attempts, whose clocks differ': { ...TWO_ATTEMPTS, tolerance: 1 },
};
