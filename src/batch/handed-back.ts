import { MismatchError } from '../attempts/errors.ts';
import type { HandedBack } from '../sources/answers.ts';
import { RedeliverError } from './errors.ts';
import type { Ledger } from './ledger.ts';
import { isAcknowledged, type RecordOutcome } from './outcomes.ts';

/**
 * The records of a batch that are not acknowledged, for the answer to their sender. One without an outcome did not end in time, so
 * that a record that was forgotten on the way comes back.
 */
export function handedBack({ records, outcomes }: Ledger): HandedBack[] {
  const all: HandedBack[] = [];
  let nearestIdentifier: string | undefined;
  for (const { index, itemIdentifier } of records) {
    nearestIdentifier = itemIdentifier ?? nearestIdentifier;
    const outcome = outcomes[index];
    // rule: all-failed
    if (isAcknowledged(outcome)) continue;
    all.push({ itemIdentifier, nearestIdentifier, error: () => rejectionOf(outcome) });
  }
  return all;
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
