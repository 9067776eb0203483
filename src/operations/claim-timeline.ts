import { defined } from '../base/defined.ts';
import type { Claim, OperatorChange, StoredError } from '../claims/claim.ts';

/** One thing that a row tells of its past. Times are epoch milliseconds. */
export type TimelineEvent = {
  /** When, in epoch milliseconds. */
  readonly at: number;
} & (
  | {
      /** An attempt claimed the key. */
      readonly kind: 'claimed';
      /** Its number. */
      readonly attempt: number;
      /** Of the latest attempt: function, version and request id. */
      readonly lockedBy?: string;
      /** Of the latest attempt: whether the one before it died without settling. */
      readonly tookOver?: boolean;
    }
  | ({
      /** A person changed the claim. */
      readonly kind: 'changed';
    } & OperatorChange)
  | {
      /** The latest attempt completed the claim. */
      readonly kind: 'completed';
      /** Its number. */
      readonly attempt: number;
    }
  | {
      /** The latest attempt failed, and the key may run again or waits for a person. */
      readonly kind: 'failed' | 'parked';
      /** Its number. */
      readonly attempt: number;
      /** What it failed with. */
      readonly error?: StoredError;
    }
  | {
      /** The lease of the latest attempt ended, and nobody has settled it or taken it over. */
      readonly kind: 'lapsed';
      /** Its number. */
      readonly attempt: number;
    }
);

/**
 * Returns what the row of a claim tells of its past, in the order in which it happened: by attempts, and not by the times
 * alone, which clocks of several machines wrote. Of the attempts between the first and the latest, a row knows only those
 * after which a person changed it.
 *
 * @param claim A claim as it was read.
 * @param now In epoch milliseconds.
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

const OPERATIONS: ReadonlySet<unknown> = new Set(['release', 'resolve', 'park', 'forget']);

/** The changes of a claim by people. A row's history is text that anybody who writes to the table may have written. */
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
