import type { BatchContext } from './context.ts';

/** Tells the observer of what ended before it could be claimed. */
export function tellPlanned({ ledger, watch }: BatchContext): void {
  for (const { outcome, recordId, key } of ledger.records) {
    if (outcome === undefined) continue;
    if (outcome.status === 'invalid') watch.notify({ type: 'invalid', recordId, error: outcome.error });
    if (outcome.status === 'not-started') {
      watch.notify({ type: 'notStarted', recordId, key, reason: outcome.reason });
    }
    // Nothing else fails before it has a key.
    if (outcome.status === 'failed') watch.notify({ type: 'decodeFailed', recordId, error: outcome.error });
  }
}

export function tellFinished({ ledger, watch, time }: BatchContext, startedAt: number): void {
  const outcomes: Record<string, number> = {};
  let withoutClaim = 0;
  for (const record of ledger.records) {
    const outcome = ledger.outcomes[record.index];
    const status = outcome?.status ?? 'unfinished';
    outcomes[status] = (outcomes[status] ?? 0) + 1;
    if (outcome !== undefined && 'withoutClaim' in outcome) withoutClaim += 1;
  }
  watch.notify({
    type: 'batchFinished',
    records: ledger.records.length,
    outcomes,
    ...(withoutClaim > 0 && { withoutClaim }),
    durationMs: time.clock.now() - startedAt,
  });
}
