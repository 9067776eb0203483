import { type Claim, countedAttempts } from '../../claims/claim.ts';
import { stateOf } from '../../claims/claim-admin.ts';
import type { MessageWithClaims } from './claims-of-messages.ts';

/** What is done with messages whose work is done already, as their claims say. */
export type CompletedMessages = 'skip' | 'move' | 'delete';

/** Why a message was left where it was. */
export type WhyLeft =
  /** A handler is at work on it, or has died less than a lease ago. */
  | 'running'
  /** Its work is done; `completed` says what becomes of such messages. */
  | 'completed'
  /** It names the key of a claim that knows nothing of it, so that claim is not released: give `key`. */
  | 'unproven'
  /** Its claim could not be released: it kept changing, or the store did not say. */
  | 'not-released'
  /** It was moved in this redrive, failed again, and is back. */
  | 'came-back'
  /** It is not known which queue it came from. */
  | 'no-destination'
  /** A message of its FIFO group that came before it was left. */
  | 'behind'
  /** SQS refused it. */
  | 'refused'
  /** Whether SQS has sent it is not known: it may be in both queues. */
  | 'unanswered';

/** What is to be done with one message, from its claims as they were found. */
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
    // Where another consumer's claim waits, the message is still needed.
    // Whoever can forge a key must not have the person delete another's message either.
    if (completed === 'delete' && states.size === 1)
      return isProven ? { do: 'delete' } : { do: 'leave', why: 'unproven' };
  }
  const release = claims.filter(isInTheWay);
  if (release.length > 0 && !isProven) return { do: 'leave', why: 'unproven' };
  return { do: 'move', release };
}

/** It swallows messages, or would after the next failure, because its attempts are used up. */
function isInTheWay(claim: Claim): boolean {
  if (claim.status === 'FAILED') return countedAttempts(claim) > 0;
  return claim.status !== 'COMPLETED';
}
