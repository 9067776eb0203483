import type { WalkedInstance } from './walk.ts';

const ONE_KEY = { keys: ['k'], people: [], payloads: ['p'], tolerance: 0, lastTime: Infinity };

/** Small instances, which the walk enumerates whole, whatever the time. */
export const walkedInstances: Readonly<Record<string, WalkedInstance>> = {
  'two attempts': { ...ONE_KEY, owners: ['a', 'b'], mostAttempts: 2 },
};
