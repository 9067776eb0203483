import type { ClaimStore } from '../claims/claim-store.ts';
import type { Clock } from '../base/clock.ts';
import type { Observer } from '../observe/observer.ts';
import type { SqsClient } from '../queues/sqs-client.ts';

/** The dependencies of the pipeline. Tests and the simulation pass their own. */
export interface Ports {
  readonly store: ClaimStore;
  readonly clock: Clock;
  readonly observer: Observer;
  /** Undefined: SQS is told nothing beyond the response. */
  readonly sqs: SqsClient | undefined;
  readonly random: () => number;
  /** Returns a token that no other attempt has. */
  readonly newOwner: () => string;
}
