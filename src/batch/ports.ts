import type { ClaimStore } from '../claims/claim-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Observer } from '../observe/observer.ts';
import type { SqsClient } from '../queues/sqs-client.ts';

/** What the pipeline needs from outside. Tests and the simulation pass their own. */
export interface Ports {
  readonly store: ClaimStore;
  readonly clock: Clock;
  readonly observer: Observer;
  /** Undefined where nothing is to be said to a queue beyond the response. */
  readonly sqs: SqsClient | undefined;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** A token that no other attempt has. */
  readonly newOwner: () => string;
}
