import { type Claim, countedAttempts } from '../../claims/claim.ts';
import { stateOf } from '../../claims/claim-admin.ts';
import type { MessageWithClaims } from './claims-of-messages.ts';

/** The treatment of messages whose claims are completed: leave, move or delete them. */
export type CompletedMessages = 'skip' | 'move' | 'delete';

/** Why a message was left where it was. */
export type WhyLeft =
  /** Its lease is live: a handler is running, or died less than a lease ago. */
  | 'running'
  /** Its claim is completed; the option `completed` decides about such messages. */
  | 'completed'
  /** It names a key whose claim does not mention it, so the claim is not released: set `key`. */
  | 'unproven'
  /** Its claim could not be released: it kept changing, its row is no claim, or the store failed. */
  | 'not-released'
  /** This redrive moved it, and it failed again and came back. */
  | 'came-back'
  /** Its source queue is not known. */
  | 'no-destination'
  /** An earlier message of its FIFO group was left. */
  | 'behind'
  /** SQS refused it. */
  | 'refused'
  /** SQS did not confirm it: it may be in both queues. */
  | 'unanswered';

export type MessagePlan =
  | { readonly do: 'move'; readonly release: readonly Claim[] }
  | { readonly do: 'delete' }
  | { readonly do: 'leave'; readonly why: WhyLeft };

/**
 * | of its claims             | the message is                                                  |
 * |---------------------------|-----------------------------------------------------------------|
 * | one has a live lease      | left: its work may be in progress                               |
 * | one is completed          | skipped, moved or deleted, as `completed` says                  |
 * | parked, overdue or failed | moved, after they are released: their attempts are counted anew |
 * | none                      | moved                                                           |
 */
export function planOf(
  { message: { claims }, isProven }: MessageWithClaims,
  completed: CompletedMessages,
  now: number,
): MessagePlan {
  const states = new Set(claims.map((claim) => stateOf(claim, now)));
  if (states.has('in-progress')) return { do: 'leave', why: 'running' };
  if (states.has('completed')) {
    if (completed === 'skip') return { do: 'leave', why: 'completed' };
    // If another consumer's claim is not completed, the message is still needed. An unproven key may be
    // forged, so it must not delete somebody else's message.
    if (completed === 'delete' && states.size === 1)
      return isProven ? { do: 'delete' } : { do: 'leave', why: 'unproven' };
  }
  const release = claims.filter(isInTheWay);
  if (release.length > 0 && !isProven) return { do: 'leave', why: 'unproven' };
  return { do: 'move', release };
}

/** Whether a claim would drop its message, now or after its next failure (its attempts are used up). */
function isInTheWay(claim: Claim): boolean {
  if (claim.status === 'FAILED') return countedAttempts(claim) > 0;
  return claim.status !== 'COMPLETED';
}
