import type { Ending } from '../sources/answers.ts';
import type { PlannedRecord } from './plan.ts';
import { MismatchError } from '../attempts/errors.ts';
import { RedeliverError } from './errors.ts';
import { isAcknowledged, type RecordOutcome } from './outcomes.ts';

/** How a record ended, for the answer to its sender. One without an outcome did not end in time. */
export function answerOf(
  { itemIdentifier }: Pick<PlannedRecord, 'itemIdentifier'>,
  outcome: RecordOutcome | undefined,
): Ending {
  return new RecordEnding(itemIdentifier, outcome);
}

class RecordEnding implements Ending {
  readonly itemIdentifier: string | undefined;
  readonly isAcknowledged: boolean;
  readonly #outcome: RecordOutcome | undefined;

  constructor(itemIdentifier: string | undefined, outcome: RecordOutcome | undefined) {
    this.itemIdentifier = itemIdentifier;
    // rule: all-failed
    this.isAcknowledged = isAcknowledged(outcome);
    this.#outcome = outcome;
  }

  error(): unknown {
    return rejectionOf(this.#outcome);
  }
}

function rejectionOf(outcome: RecordOutcome | undefined): unknown {
  switch (outcome?.status) {
    case 'failed':
    case 'parked':
    case 'invalid':
      return outcome.error;
    case 'conflict':
      return new RedeliverError(
        `The event is being processed elsewhere until ${new Date(outcome.leaseUntil).toISOString()}`,
      );
    case 'mismatch':
      return new MismatchError();
    case 'lost':
      return new RedeliverError('The claim was taken over by another attempt while the handler ran');
    case 'not-started':
      return new RedeliverError(`The event was not started (${outcome.reason})`);
    case 'completed':
    case 'duplicate':
    case 'ignored':
    case undefined:
      return new RedeliverError('The event was not finished in time');
  }
}
