import { defined } from '../../base/defined.ts';
import { ConfigurationError } from '../../base/errors.ts';
import { type OperateOutcome, stateOf } from '../../claims/claim-admin.ts';
import type { Claim } from '../../claims/claim.ts';
import { operateOnClaims } from '../change-claims.ts';
import type { MessageWithClaims } from './claims-of-messages.ts';
import type { DeadLetterMessage } from './dead-letter-message.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import type { Destinations } from './destinations.ts';
import type { RedriveOptions } from './redrive-options.ts';
import { planOf, type WhyLeft } from './redrive-plan.ts';
import type { RedrivenClaim } from './redrive-result.ts';

/** A message with its plan. If it is to be moved, its claims have been released. */
export interface FreedMessage extends MessageWithClaims {
  readonly plan:
    | { readonly do: 'move' | 'delete' }
    | { readonly do: 'leave'; readonly why: WhyLeft; readonly error?: Error };
  readonly claims: readonly RedrivenClaim[];
}

/** Reasons for which a message may be moved later, so messages behind it in its group wait. */
const HOLDS_UP_ITS_GROUP: ReadonlySet<WhyLeft> = new Set([
  'running',
  'not-released',
  'no-destination',
  'behind',
]);

/** Claims may change during a redrive; more changes than this indicate another problem. */
const TRIES = 3;

/** The decisions of a redrive: what to do with each message, and which claims to release. */
export class MessageDecider {
  readonly #queue: DeadLetterQueue;
  readonly #destinations: Destinations;
  readonly #options: RedriveOptions;
  /** Ids of messages that this redrive sent: they may fail again at once and come back. */
  readonly #sent = new Set<string>();

  constructor(queue: DeadLetterQueue, destinations: Destinations, options: RedriveOptions) {
    this.#queue = queue;
    this.#destinations = destinations;
    this.#options = options;
  }

  noteSent(newMessageId: string): void {
    this.#sent.add(newMessageId);
  }

  /** Returns a decision for each message, in order. For a FIFO queue they are made one after another. */
  async decide(found: readonly MessageWithClaims[]): Promise<FreedMessage[]> {
    if (!this.#queue.isFifo) return Promise.all(found.map((one) => this.#decideOne(one, false)));
    const freed: FreedMessage[] = [];
    const stopped = new Set<string | undefined>();
    for (const one of found) {
      const { messageGroupId } = one.message;
      const next = await this.#decideOne(one, stopped.has(messageGroupId));
      if (next.plan.do === 'leave' && HOLDS_UP_ITS_GROUP.has(next.plan.why)) stopped.add(messageGroupId);
      freed.push(next);
    }
    return freed;
  }

  async #decideOne(found: MessageWithClaims, isBehind: boolean): Promise<FreedMessage> {
    const { message } = found;
    const cannotGo = this.#destinations.urlOf(message) === undefined;
    const isBack = this.#isBack(message);
    // A message that stays releases no claims; the result only lists them.
    const isOnlyTold = this.#options.dryRun === true || isBehind || cannotGo || isBack;
    const freed = await this.#free(found, isOnlyTold);
    const leave = (why: WhyLeft, error?: Error): FreedMessage => ({
      ...freed,
      plan: { do: 'leave', why, ...defined({ error }) },
      claims: freed.claims.map((claim) => ({ ...claim, isReleased: false })),
    });
    if (isBack) return leave('came-back');
    if (freed.plan.do === 'leave') return freed;
    if (isBehind) return leave('behind');
    if (freed.plan.do === 'move' && cannotGo) return leave('no-destination', noDestination(message));
    return freed;
  }

  /** A redrive policy keeps a message's id; `deadLetterQueue()` names the earlier id as `RecordId`. */
  #isBack({ messageId, recordId }: DeadLetterMessage): boolean {
    return this.#sent.has(messageId) || this.#sent.has(recordId);
  }

  /** Releases the claims of a message that is to be moved. If one changed since it was read, plans again. */
  async #free(found: MessageWithClaims, isOnlyTold: boolean): Promise<FreedMessage> {
    const { clock } = this.#queue;
    const first = found.message.claims;
    const released = new Set<string>();
    const freed = (plan: FreedMessage['plan']): FreedMessage => ({
      ...found,
      plan,
      claims: first.map((claim) => ({
        key: claim.key,
        state: stateOf(claim, clock.now()),
        isReleased: released.has(claim.key),
      })),
    });
    const { unreadable } = found;
    if (unreadable !== undefined) return freed({ do: 'leave', why: 'not-released', error: unreadable });
    let claims = first;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const now = { ...found, message: { ...found.message, claims } };
      const plan = planOf(now, this.#options.completed ?? 'skip', clock.now());
      if (plan.do !== 'move') return freed(plan);
      const outcomes = await this.#release(plan.release, isOnlyTold);
      const changed = new Map<string, Claim | undefined>();
      for (const [index, { key }] of plan.release.entries()) {
        const outcome = outcomes[index] as OperateOutcome;
        if (outcome.status === 'error')
          return freed({ do: 'leave', why: 'not-released', error: outcome.error });
        if (outcome.status === 'done') released.add(key);
        changed.set(key, outcome.status === 'done' ? outcome.claim : outcome.found);
      }
      if (plan.release.every(({ key }) => released.has(key))) return freed({ do: 'move' });
      claims = claims.flatMap((claim) => (changed.has(claim.key) ? (changed.get(claim.key) ?? []) : claim));
    }
    return freed({ do: 'leave', why: 'not-released' });
  }

  /** Ignores the abort signal: an aborted request may still be stored. */
  async #release(claims: readonly Claim[], isOnlyTold: boolean): Promise<OperateOutcome[]> {
    const { admin, operator, reason } = this.#options;
    if (admin === undefined || isOnlyTold) return claims.map((claim) => ({ status: 'done', claim }));
    return operateOnClaims(admin, claims, { operation: 'release', operator, reason });
  }
}

function noDestination({ source }: DeadLetterMessage): ConfigurationError {
  const told = source === undefined ? '' : `; the message says that it came from \`${source}\``;
  return new ConfigurationError(
    `It is not known which queue the message came from: set \`destinationUrl\`${told}`,
  );
}
