import { defined } from '../base/defined.ts';
import type { Claim, OperatorChange, StoredError } from '../claims/claim.ts';

/** An event in the past of a claim, as its row records it. Times are epoch milliseconds. */
export type TimelineEvent = {
  /** When it happened, in epoch milliseconds. */
  readonly at: number;
} & (
  | {
      /** An attempt claimed the key. */
      readonly kind: 'claimed';
      /** The number of the attempt. */
      readonly attempt: number;
      /** The function, version and request id. Latest attempt only. */
      readonly lockedBy?: string;
      /** Whether the attempt before it died without settling. Latest attempt only. */
      readonly tookOver?: boolean;
    }
  | ({
      /** A person changed the claim. */
      readonly kind: 'changed';
    } & OperatorChange)
  | {
      /** The latest attempt completed the claim. */
      readonly kind: 'completed';
      /** The number of the attempt. */
      readonly attempt: number;
    }
  | {
      /** The latest attempt failed: the key may run again (`failed`) or waits for a person (`parked`). */
      readonly kind: 'failed' | 'parked';
      /** The number of the attempt. */
      readonly attempt: number;
      /** The error of the attempt. */
      readonly error?: StoredError;
    }
  | {
      /** The lease of the latest attempt ended, and nobody has settled the claim or taken it over. */
      readonly kind: 'lapsed';
      /** The number of the attempt. */
      readonly attempt: number;
    }
);

/**
 * Returns the past of a claim in the order in which it happened. Events are ordered by attempt first, because
 * the clocks of several machines wrote the times. Between the first attempt and the latest, a row records
 * only the attempts after which a person changed it.
 *
 * @param claim A claim as the store returned it.
 * @param now The current time, in epoch milliseconds.
 */
export function claimTimeline(claim: Claim, now: number): readonly TimelineEvent[] {
  const { createdAt, claimedAt, attempt, status, leaseUntil, lockedBy, crashes } = claim;
  const history = changesOf(claim);
  const steps: Step[] = history.map((change) => [attemptOf(change), 2, { kind: 'changed', ...change }]);
  const latest = {
    kind: 'claimed',
    attempt,
    ...defined({ lockedBy }),
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

/** An event with its sort keys. Within an attempt: its claim, its end, then changes by people. */
type Step = readonly [attempt: number, order: 0 | 1 | 2, event: TimelineEvent];

/** Anybody who can write to the table may have written this history, so the number may be missing. */
function attemptOf({ from: { attempt } }: OperatorChange): number {
  return Number.isFinite(attempt) ? attempt : 0;
}

/** Returns how the latest attempt ended, unless the row records only a person's change. */
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

const OPERATIONS: ReadonlySet<unknown> = new Set(['release', 'resolve', 'park', 'forget']);

/** Returns the valid changes by people: anybody who can write to the table may have written the history. */
export function changesOf({ history }: Pick<Claim, 'history'>): readonly OperatorChange[] {
  return (history ?? []).filter(isWhole);
}

function isWhole(change: unknown): change is OperatorChange {
  if (typeof change !== 'object' || change === null) return false;
  const { at, operation, operator, reason, from } = change as Partial<OperatorChange>;
  return (
    typeof at === 'number' &&
    OPERATIONS.has(operation) &&
    [operator, reason, from?.status].every((text) => typeof text === 'string') &&
    isError(from?.error)
  );
}

function isError(error: OperatorChange['from']['error']): boolean {
  return error === undefined || (typeof error?.name === 'string' && typeof error.message === 'string');
}
