import type { Context } from 'aws-lambda';
import type { EndingOf } from '../attempts/ending.ts';
import type { Running } from '../attempts/running.ts';
import type { AttemptScope } from '../attempts/scope.ts';
import type { Starts } from '../attempts/starts.ts';
import type { AcquireOutcome, ClaimRequest } from '../claims/claim-store.ts';
import type { QueueAccess } from '../base/request-queue.ts';
import type { SqsClient } from '../queues/sqs-client.ts';
import type { Entry } from './entry.ts';
import type { Observing } from './observing.ts';
import type { Settings } from './settings.ts';
import type { StuckHandlers } from './run-watch.ts';

/** What all records of one invocation share, and policies may use. */
export interface BatchScope extends AttemptScope, Pick<Observing, 'notify' | 'noteOutcome' | 'around'> {
  readonly settings: Settings;
  readonly lambda: Context | undefined;
  /** What contexts tell of the deadline. */
  readonly remainingTimeMs: () => number;
  readonly sqs: SqsClient | undefined;
  readonly random: () => number;
  readonly newOwner: () => string;
  readonly acquires: QueueAccess<ClaimRequest, AcquireOutcome>;
  /** In the batch's order; filled when they have been read. */
  readonly entries: Entry[];
  /** Records that are being claimed, wait for a slot or run: what may soon bring a settlement. */
  readonly activity: { busy: number };
  readonly running: Running;
  readonly starts: Starts;
  readonly stuckHandlers: StuckHandlers;
  readonly endingOf: EndingOf;
  /** Whether a record runs although the store could not give it a claim. */
  readonly runsWithoutClaim: boolean;
}
