import type { Claim, OperatorChange, StoredError } from '../claims/claim.ts';
import { changesOf } from './claim-history.ts';

/** One thing that a row tells of its past. Times are epoch milliseconds. */
export type TimelineEvent =
  /** An attempt claimed the key. */
  | {
      readonly kind: 'claimed';
      readonly at: number;
      readonly attempt: number;
      /** Of the latest attempt: function, version and request id. */
      readonly lockedBy?: string;
      /** Of the latest attempt: whether the one before it died without settling. */
      readonly tookOver?: boolean;
    }
  /** A person changed it. */
  | ({ readonly kind: 'changed' } & OperatorChange)
  /** The latest attempt ended. */
  | { readonly kind: 'completed'; readonly at: number; readonly attempt: number }
  | {
      readonly kind: 'failed' | 'parked';
      readonly at: number;
      readonly attempt: number;
      readonly error?: StoredError;
    }
  /** The lease of the latest attempt ended, and nobody has settled it or taken it over. */
  | { readonly kind: 'lapsed'; readonly at: number; readonly attempt: number };

/**
 * What the row of a claim tells of its past, in the order in which it happened: by attempts, and not by the times alone,
 * which clocks of several machines wrote. Of the attempts between the first and the latest, a row knows only those after
 * which a person changed it.
 */
export function claimTimeline(claim: Claim, now: number): readonly TimelineEvent[] {
  const { createdAt, claimedAt, attempt, status, leaseUntil, lockedBy, crashes } = claim;
  const history = changesOf(claim);
  const steps: Step[] = history.map((change) => [attemptOf(change), 2, { kind: 'changed', ...change }]);
  const latest = {
    kind: 'claimed',
    attempt,
    ...(lockedBy !== undefined && { lockedBy }),
    ...(crashes > 0 && { tookOver: true }),
  } as const;
  if (attempt > 1) {
    steps.push([1, 0, { kind: 'claimed', at: createdAt, attempt: 1 }]);
    if (claimedAt !== undefined) steps.push([attempt, 0, { ...latest, at: claimedAt }]);
  } else steps.push([attempt, 0, { ...latest, at: createdAt }]);
  const end = endOf(claim, history);
  if (end !== undefined) steps.push([attempt, 1, end]);
  else if (status === 'IN_PROGRESS' && leaseUntil <= now) {
    steps.push([attempt, 1, { kind: 'lapsed', at: leaseUntil, attempt }]);
  }
  return steps.toSorted(([a, one], [b, other]) => a - b || one - other).map(([, , event]) => event);
}

/** The attempt that it belongs to, and what comes first of one attempt: its claim, its end, what people did afterwards. */
type Step = readonly [attempt: number, order: 0 | 1 | 2, event: TimelineEvent];

/** A row's history is text that anybody who writes to the table may have written. */
function attemptOf({ from: { attempt } }: OperatorChange): number {
  return Number.isFinite(attempt) ? attempt : 0;
}

/** How the latest attempt ended, unless a person's change is all that the row tells. */
function endOf(claim: Claim, history: readonly OperatorChange[]): TimelineEvent | undefined {
  const { status, attempt, completedAt, updatedAt, error } = claim;
  if (completedAt !== undefined) {
    const isByHand = history.some(({ operation, at }) => operation === 'resolve' && at === completedAt);
    return isByHand ? undefined : { kind: 'completed', at: completedAt, attempt };
  }
  if ((status !== 'FAILED' && status !== 'PARKED') || history.at(-1)?.at === updatedAt) return undefined;
  const kind = status === 'FAILED' ? 'failed' : 'parked';
  return { kind, at: updatedAt, attempt, ...(error !== undefined && { error }) };
}
