import type { SourceBatch } from '../sources/source-batch.ts';
import { MismatchError, RedeliverError, UnnamedRecordError } from './errors.ts';
import { isAcknowledged, type RecordOutcome } from './outcomes.ts';

/** Lambda's answer to a batch: the records to deliver again (`ReportBatchItemFailures`). */
export interface BatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

/** A record's place in the response, and how it ended; undefined: it did not end in time. */
export interface Ending {
  readonly itemIdentifier: string | undefined;
  readonly outcome: RecordOutcome | undefined;
}

/**
 * Answers the sender. It starts from "all failed" and strikes out what is acknowledged, so that a record
 * that was forgotten on the way comes back. Throws where only a failed invocation makes that happen.
 */
export function answer(endings: readonly Ending[], kind: SourceBatch['answer']): BatchResponse | undefined {
  switch (kind) {
    case 'item-failures':
      return itemFailures(endings);
    case 'checkpoint':
      return checkpoint(endings);
    case 'all-or-nothing': {
      const failed = endings.find(({ outcome }) => !isAcknowledged(outcome));
      if (failed !== undefined) throw rejectionOf(failed.outcome);
      return undefined;
    }
  }
}

function itemFailures(endings: readonly Ending[]): BatchResponse {
  const failed = new Set(endings);
  for (const ending of endings) if (isAcknowledged(ending.outcome)) failed.delete(ending);

  // Lambda takes an entry without an identifier for a failure of the whole batch: say so plainly instead.
  const unnamed = [...failed].filter(({ itemIdentifier }) => itemIdentifier === undefined).length;
  if (unnamed > 0) throw new UnnamedRecordError(unnamed);

  const identifiers = new Set<string>();
  for (const { itemIdentifier } of failed) if (itemIdentifier !== undefined) identifiers.add(itemIdentifier);
  return { batchItemFailures: [...identifiers].map((itemIdentifier) => ({ itemIdentifier })) };
}

/**
 * Of a stream, Lambda takes the lowest failed sequence number for its checkpoint, and delivers that record and all
 * after it again; what was done of them is then a duplicate. The batch is in that order. A failure without a sequence
 * number is reached from the nearest record before it that has one.
 */
function checkpoint(endings: readonly Ending[]): BatchResponse {
  const first = endings.findIndex(({ outcome }) => !isAcknowledged(outcome));
  if (first === -1) return { batchItemFailures: [] };
  const itemIdentifier = endings
    .slice(0, first + 1)
    .findLast((ending) => ending.itemIdentifier !== undefined)?.itemIdentifier;
  if (itemIdentifier === undefined) throw new UnnamedRecordError(1);
  return { batchItemFailures: [{ itemIdentifier }] };
}

/** What the invocation fails with when its only record has to come again. */
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
      return new RedeliverError('The event did not end in time');
  }
}
