import type { BatchScope } from './scope.ts';

/** Tells the observer of what ended before it could be claimed. */
export function noteRefusedByPlan({ entries, notify }: BatchScope): void {
  for (const { outcome, recordId, key } of entries) {
    if (outcome?.status === 'invalid') notify({ type: 'invalid', recordId, error: outcome.error });
    if (outcome?.status === 'not-started') {
      notify({ type: 'notStarted', recordId, key, reason: outcome.reason });
    }
    // Nothing else fails before it has a key.
    if (outcome?.status === 'failed') notify({ type: 'decodeFailed', recordId, error: outcome.error });
  }
}

/** Tells the observer of outcomes: at once of those that are there, and of the others when they come. */
export function noteOutcomes({ entries, noteOutcome }: BatchScope): void {
  if (noteOutcome === undefined) return;
  for (const entry of entries) {
    if (entry.outcome === undefined) entry.onFinish = noteOutcome;
    else noteOutcome(entry.recordId, entry.outcome.status);
  }
}

export function noteFinished({ entries, notify, clock }: BatchScope, startedAt: number): void {
  const outcomes: Record<string, number> = {};
  let withoutClaim = 0;
  for (const { outcome } of entries) {
    const status = outcome?.status ?? 'unfinished';
    outcomes[status] = (outcomes[status] ?? 0) + 1;
    if (outcome !== undefined && 'withoutClaim' in outcome) withoutClaim += 1;
  }
  notify({
    type: 'batchFinished',
    records: entries.length,
    outcomes,
    ...(withoutClaim > 0 && { withoutClaim }),
    durationMs: clock.now() - startedAt,
  });
}
