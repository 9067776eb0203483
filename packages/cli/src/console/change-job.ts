import {
  type ClaimAdmin,
  claimJson,
  type ClaimsChange,
  operateOnClaims,
  type OperateOutcome,
  type RefusalReason,
  type SeenClaim,
} from 'batchlatch/operations';
import type { ChangesResult } from './api.ts';
import { messageOf } from './api-error.ts';
import type { JobEnd, JobRun } from './jobs.ts';

/** The number of claims that are sent before the job checks whether it was stopped. */
const AT_ONCE = 100;
const MOST_TOLD = 100;

type NotChanged = ChangesResult['notChanged'][number];

/**
 * Changes claims, and returns those that were changed. A stop waits for the claims already sent: an abandoned
 * request may have been executed.
 */
export async function changeAll(
  store: ClaimAdmin,
  claims: readonly SeenClaim[],
  change: Omit<ClaimsChange, 'signal'>,
  { job, now }: { readonly job: JobRun; readonly now: () => number },
): Promise<{
  readonly end: JobEnd & { readonly result: ChangesResult };
  readonly changed: readonly SeenClaim[];
}> {
  const refused: Record<RefusalReason, number> = { absent: 0, changed: 0, running: 0, completed: 0 };
  const notChanged: NotChanged[] = [];
  const changed: SeenClaim[] = [];
  let [failed, sent] = [0, 0];
  while (sent < claims.length && !job.signal.aborted) {
    const some = claims.slice(sent, sent + AT_ONCE);
    const outcomes = await operateOnClaims(store, some, change);
    some.forEach((claim, index) => {
      const { key } = claim;
      const outcome = outcomes[index] ?? {
        status: 'error',
        error: new Error('the store gave no answer: look at the claim, then try again'),
      };
      if (outcome.status === 'done') changed.push(claim);
      else if (outcome.status === 'refused') refused[outcome.why] += 1;
      else failed += 1;
      if (outcome.status !== 'done' && notChanged.length < MOST_TOLD) {
        notChanged.push(told(key, outcome, now()));
      }
    });
    sent += some.length;
    job.progress(sent, claims.length);
  }
  const notSent = claims.length - sent;
  const result = { done: changed.length, refused, failed, notSent, notChanged };
  return { end: { ...(notSent > 0 && { ended: 'aborted' as const }), result }, changed };
}

function told(key: string, outcome: Exclude<OperateOutcome, { status: 'done' }>, now: number): NotChanged {
  if (outcome.status === 'error') return { key, why: 'failed', error: messageOf(outcome.error) };
  const { why, found } = outcome;
  return { key, why, ...(found !== undefined && { found: claimJson(found, now) }) };
}
