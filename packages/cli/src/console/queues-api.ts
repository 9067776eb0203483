// The part of the JSON API (`api.ts`) for queues.
import type { RedeliverySettings } from 'batchlatch/operations';

/** A queue that the console was started with. */
export interface QueueJson {
  readonly name: string;
  readonly url: string;
  readonly isDeadLetter: boolean;
}

/** A summary of a queue. */
export interface QueueFactsJson extends QueueJson {
  readonly waiting?: number;
  readonly inFlight?: number;
  readonly delayed?: number;
  readonly oldestAgeMs?: number;
  /** The number of message groups that delay the others, from CloudWatch. */
  readonly noisyGroups?: number;
  /** How it delivers messages again. */
  readonly redelivery?: RedeliverySettings;
  /** Whether the queue was deleted. */
  readonly isDeleted?: true;
  readonly error?: string;
}
