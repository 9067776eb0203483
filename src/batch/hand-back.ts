import { BatchlatchError, StoreError } from '../base/errors.ts';
import { MismatchError, CompletionNotStoredError } from '../attempts/errors.ts';
import type { HandedBack } from '../sources/answers.ts';
import type { Host } from '../attempts/host.ts';
import { isoTime, waitAtMost } from '../base/clock.ts';
import type { BatchContext } from './context.ts';
import type { Ledger } from './ledger.ts';
import { isAcknowledged, type RecordOutcome } from './outcomes.ts';
import type { PlannedRecord } from './plan.ts';

/** How long the answer waits for the release of claims. The next invocation tries the rest again. */
const GIVE_BACK_MS = 1_000;
const NONE: ReadonlySet<string> = new Set();

/** Releases claims, reports to the host and sets when SQS delivers unacknowledged records again. */
export async function handBack(context: BatchContext): Promise<void> {
  const { claims, time, host, ledger, settings } = context;
  const givingBack = claims.unstarted.giveBack();
  // Claims of overlapping invocations are not waited for.
  if (claims.unstarted.hasAny()) await waitAtMost(time.clock, GIVE_BACK_MS, givingBack);
  const kept = host === undefined ? NONE : await reportTo(host, ledger);
  await settings.visibility?.delay(context, kept);
}

/** Tells the host how records ended. Resolves with the ids of the records that the host keeps. */
function reportTo(host: Host, ledger: Ledger): Promise<ReadonlySet<string>> {
  let storeFailed = false;
  const errors: unknown[] = [];
  const records: string[] = [];
  const handedBack: string[] = [];
  const suspects = new Map<string, number>();
  const conflicts = new Map<string, number>();
  for (const record of ledger.records) {
    const outcome = ledger.outcomeOf(record);
    const { itemIdentifier: id = '' } = record;
    records.push(id);
    if (isAcknowledged(outcome)) continue;
    handedBack.push(id);
    if (outcome?.status === 'failed') {
      if (isOfStore(outcome)) storeFailed = true;
      else errors.push(outcome.error);
    }
    if (outcome?.status === 'conflict') conflicts.set(id, outcome.leaseUntil);
    if (outcome?.status === 'not-started' && outcome.reason === 'suspect') {
      suspects.set(id, deathsOf(record, ledger));
    }
  }
  return host.beforeHandBack({ records, storeFailed, errors, handedBack, suspects, conflicts });
}

/** Returns the crashes of a record. One that waits for an equal record is as dangerous as that record. */
function deathsOf(record: PlannedRecord, ledger: Ledger): number {
  const deaths = ledger.attemptOf(record)?.crashes ?? 0;
  const before = record.leader ?? record.behind;
  return deaths > 0 || before === undefined ? deaths : deathsOf(before, ledger);
}

/** Returns whether the claim store caused the failure. */
function isOfStore({ error }: Extract<RecordOutcome, { readonly status: 'failed' }>): boolean {
  return (error instanceof StoreError && error.isRetryable) || error instanceof CompletionNotStoredError;
}

/** Lists the records that are not acknowledged, including those without an outcome: none is lost. */
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
        `The event is being processed elsewhere until ${isoTime(outcome.leaseUntil) ?? outcome.leaseUntil}`,
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

/**
 * An event that was delivered alone (EventBridge, SNS, S3) must come again: another worker is processing it,
 * or it was not started. Code: `BATCHLATCH_REDELIVER`.
 *
 * @remarks None: Lambda invokes the function again.
 */
export class RedeliverError extends BatchlatchError {
  override name = 'RedeliverError';
  /**
   * Created by batchlatch; public for tests.
   *
   * @param message Which records have to come again.
   */
  constructor(message: string) {
    super('BATCHLATCH_REDELIVER', message);
  }
}
