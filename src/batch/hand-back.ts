import { CompletionNotStoredError } from '../attempts/errors.ts';
import type { Host } from '../attempts/host.ts';
import { waitAtMost } from '../base/clock.ts';
import { StoreError } from '../base/errors.ts';
import type { BatchContext } from './context.ts';
import type { Ledger } from './ledger.ts';
import { isAcknowledged, type RecordOutcome } from './outcomes.ts';
import type { PlannedRecord } from './plan.ts';

/** How long the answer waits for claims to be given back; what is left then is tried again in the next invocation. */
const GIVE_BACK_MS = 1_000;
const NONE: ReadonlySet<string> = new Set();

/** What is not acknowledged by now is handed back; the queue may be told when to show it again. */
export async function handBack(context: BatchContext): Promise<void> {
  const { claims, time, host, ledger, settings } = context;
  const givingBack = claims.unstarted.giveBack();
  if (claims.unstarted.hasAny) await waitAtMost(time.clock, GIVE_BACK_MS, givingBack); // not for those of others that overlap
  const kept = host === undefined ? NONE : await reportTo(host, ledger);
  await settings.visibility?.delay(context, kept);
}

/** Tells the host how records ended. Resolves with those that it keeps. */
function reportTo(host: Host, ledger: Ledger): Promise<ReadonlySet<string>> {
  let storeFailed = false;
  const errors: unknown[] = [];
  const handedBack: string[] = [];
  const suspects = new Map<string, number>();
  const conflicts = new Map<string, number>();
  for (const record of ledger.records) {
    const outcome = ledger.outcomeOf(record);
    if (isAcknowledged(outcome)) continue;
    const { itemIdentifier: id = '' } = record;
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
  return host.beforeHandBack({ storeFailed, errors, handedBack, suspects, conflicts });
}

/** A record that waits for an equal one is as dangerous as that is. */
function deathsOf(record: PlannedRecord, ledger: Ledger): number {
  const deaths = ledger.attemptOf(record)?.crashes ?? 0;
  const before = record.leader ?? record.behind;
  return deaths > 0 || before === undefined ? deaths : deathsOf(before, ledger);
}

/** Whether it is the claim store's fault that it comes again. */
function isOfStore({ error }: Extract<RecordOutcome, { readonly status: 'failed' }>): boolean {
  return (error instanceof StoreError && error.isRetryable) || error instanceof CompletionNotStoredError;
}
