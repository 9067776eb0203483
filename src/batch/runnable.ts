import type { Attempt } from '../attempts/attempt.ts';
import type { Lease } from '../attempts/lease.ts';
import type { SettlingEnd } from '../observe/observer.ts';
import type { Entry } from './entry.ts';

/** A record that is about to run: under its claim, or without one. */
export interface Runnable {
  readonly entry: Entry;
  /** Undefined: it runs without a claim, and nothing of its end is stored. */
  readonly attempt: Attempt | undefined;
  readonly lease: Lease;
  /** What observers, and the handler, know the attempt by. */
  readonly facts: Omit<SettlingEnd, 'end'>;
}

export function underClaim(entry: Entry, attempt: Attempt): Runnable {
  return { entry, attempt, lease: attempt, facts: attempt.facts };
}
