import type { ObservedAttempt } from '../observe/observer.ts';

/** What observers know an attempt by. */
export function factsOf({ recordId, key, owner, attempt }: ObservedAttempt): ObservedAttempt {
  return { recordId, key, owner, attempt };
}
