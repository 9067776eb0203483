import { type ClaimState, stateOf } from '../claims/claim-admin.ts';
import { type Claim, countedAttempts, type OperatorChange } from '../claims/claim.ts';
import { changesOf } from './claim-timeline.ts';
import { type ParkedKind, parkedKindOf } from './parked-kind.ts';

/** The settings of the queue that delivers a claim's message. */
export interface RedeliverySettings {
  /** The queue's visibility timeout, in seconds. */
  readonly visibilityTimeoutSeconds: number;
  /** The `maxReceiveCount` of its redrive policy; absent if it has none. */
  readonly maxReceiveCount?: number;
}

/** The next thing that happens to a claim. */
export interface NextStep {
  /**
   * `running`: a handler may be running. `delivery`: the next delivery runs it. `dead-letter-queue`: its
   * message is received too often and does not come by itself. `message`: a person released it, and it waits
   * for its message. `person`: it is parked. `nothing`: it is completed.
   */
  readonly kind: 'running' | 'delivery' | 'dead-letter-queue' | 'message' | 'person' | 'nothing';
  /**
   * A sentence without its full stop; with `at`, the time is its end: `Nothing: completed, forgotten`. It may
   * contain an operator's name, which can hold any characters.
   */
  readonly text: string;
  /** The time that ends the sentence, in epoch milliseconds. */
  readonly at?: number;
  /** Whether the time is an estimate, to be introduced by "about". */
  readonly isEstimate?: boolean;
}

/**
 * Returns what happens next to a claim, as a sentence for people, as far as its row and its queue tell.
 *
 * @param claim A claim as the store returned it.
 * @param now The current time, in epoch milliseconds.
 * @param queue The settings of its queue. Default: not known, so deliveries have no time.
 *
 * @example
 * const { text, at } = nextStepOf(claim, Date.now(), { visibilityTimeoutSeconds: 180, maxReceiveCount: 5 });
 */
export function nextStepOf(claim: Claim, now: number, queue?: RedeliverySettings): NextStep {
  const state: ClaimState = stateOf(claim, now);
  switch (state) {
    case 'in-progress':
      return { kind: 'running', text: 'A handler may be running; its lease ends', at: claim.leaseUntil };
    case 'overdue':
    case 'failed': {
      const at = releasedAt(claim);
      if (at === undefined) return deliveryOf(claim, now, queue);
      return {
        kind: 'message',
        text: 'Waits for its message, in its queue or in the dead-letter queue: released',
        at,
      };
    }
    case 'parked':
      return { kind: 'person', text: `Waits for you: ${whyParked(claim)}`, at: claim.updatedAt };
    case 'completed':
      return claim.expiresAt === undefined
        ? { kind: 'nothing', text: 'Nothing: completed, and kept until a person forgets it' }
        : { kind: 'nothing', text: 'Nothing: completed, forgotten', at: claim.expiresAt };
  }
}

/**
 * Returns when a person released the claim, in epoch milliseconds, if no attempt has claimed it since;
 * otherwise undefined.
 *
 * @param claim A claim as the store returned it.
 */
export function releasedAt(claim: Pick<Claim, 'status' | 'attempt' | 'history'>): number | undefined {
  if (claim.status !== 'FAILED') return undefined;
  const last = changeOfThisAttempt(claim);
  return last?.operation === 'release' ? last.at : undefined;
}

/** Returns the last change by a person, unless an attempt claimed the key after it. */
function changeOfThisAttempt(claim: Pick<Claim, 'attempt' | 'history'>): OperatorChange | undefined {
  const last = changesOf(claim).at(-1);
  return last?.from.attempt === claim.attempt ? last : undefined;
}

function deliveryOf(claim: Claim, now: number, queue: RedeliverySettings | undefined): NextStep {
  // Rows of Powertools hold no creation time.
  const { claimedAt = claim.createdAt } = claim;
  if (queue === undefined || claimedAt === 0) {
    return { kind: 'delivery', text: 'Runs again at its next delivery' };
  }
  const at = claimedAt + queue.visibilityTimeoutSeconds * 1_000;
  const isDue = at <= now;
  const received = claim.attempt - attemptsBeforeRelease(claim);
  if (received >= (queue.maxReceiveCount ?? Number.POSITIVE_INFINITY)) {
    const text = isDue
      ? 'Redrive its message: SQS has probably moved it to the dead-letter queue,'
      : 'Does not run again by itself: SQS moves its message to the dead-letter queue,';
    return { kind: 'dead-letter-queue', text, at, isEstimate: true };
  }
  const text = `Runs again when SQS delivers the message,${isDue ? ' which was due' : ''}`;
  return { kind: 'delivery', text, at, isEstimate: true };
}

/** A redriven message has its receives counted from 0; each attempt is at least one receive. */
function attemptsBeforeRelease(claim: Claim): number {
  const released = changesOf(claim).findLast(({ operation }) => operation === 'release');
  return released?.from.attempt ?? 0;
}

function whyParked(claim: Claim): string {
  const change = changeOfThisAttempt(claim);
  const by = change?.operation === 'park' ? `parked by ${change.operator}` : undefined;
  const attempts = Math.max(countedAttempts(claim), 1);
  const times = `after ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  const kind: ParkedKind = parkedKindOf(claim) ?? 'lapsed';
  switch (kind) {
    case 'lapsed':
      return `outcome unknown, ${by ?? 'parked'}`;
    case 'failed':
      return `failed for good ${times}, ${by ?? ''}`.trimEnd();
    case 'attempts':
      return `crashed or tried too often, ${times}, ${by ?? ''}`.trimEnd();
    case 'done':
      return `the work is done, and its result was not kept; ${by ?? 'parked'}`;
  }
}
