import type { ClaimStore } from '../claims/claim-store.ts';
import type { Clock } from '../claims/clock.ts';
import type { Observer } from '../observe/observer.ts';

/** What the pipeline needs of the world. Tests and the simulation give their own. */
export interface Ports {
  readonly store: ClaimStore;
  readonly clock: Clock;
  readonly observer: Observer;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** A token that no other attempt has. */
  readonly newOwner: () => string;
}
