import { defined } from '../../base/defined.ts';
import type { Clock } from '../../base/clock.ts';
import { ConfigurationError } from '../../base/errors.ts';
import type { MessageWithClaims } from './claims-of-messages.ts';
import type { DeadLetterMessage } from './dead-letter-message.ts';
import type { Destinations } from './destinations.ts';
import { freeClaims, type FreedMessage } from './free-claims.ts';
import type { RedriveOptions } from './redrive-options.ts';
import type { WhyLeft } from './redrive-plan.ts';

export interface MessageDeciderPorts {
  readonly isFifo: boolean;
  readonly destinations: Destinations;
  readonly clock: Clock;
}

/** Left for these reasons, a message may be moved later, and those behind it in its group should come after it. */
const HOLDS_UP_ITS_GROUP: ReadonlySet<WhyLeft> = new Set([
  'running',
  'not-released',
  'no-destination',
  'behind',
]);

/** Decides over messages, and releases the claims of those that will be moved. */
export class MessageDecider {
  readonly #ports: MessageDeciderPorts;
  readonly #options: RedriveOptions;
  /** Ids of messages that this redrive has sent: they may fail again at once, and come back. */
  readonly #sent = new Set<string>();

  constructor(ports: MessageDeciderPorts, options: RedriveOptions) {
    this.#ports = ports;
    this.#options = options;
  }

  noteSent(newMessageId: string): void {
    this.#sent.add(newMessageId);
  }

  /** One decision for each message, in order; of a FIFO queue they are made one after the other. */
  async decide(found: readonly MessageWithClaims[]): Promise<FreedMessage[]> {
    if (!this.#ports.isFifo) return Promise.all(found.map((one) => this.#freeOne(one, false)));
    const freed: FreedMessage[] = [];
    const stopped = new Set<string | undefined>();
    for (const one of found) {
      const { messageGroupId } = one.message;
      const next = await this.#freeOne(one, stopped.has(messageGroupId));
      if (next.plan.do === 'leave' && HOLDS_UP_ITS_GROUP.has(next.plan.why)) stopped.add(messageGroupId);
      freed.push(next);
    }
    return freed;
  }

  async #freeOne(found: MessageWithClaims, isBehind: boolean): Promise<FreedMessage> {
    const { admin, operator, reason, completed = 'skip', dryRun = false } = this.#options;
    const { clock, destinations } = this.#ports;
    const { message } = found;
    const cannotGo = destinations.urlOf(message) === undefined;
    const freed = await freeClaims(found, {
      admin,
      operator,
      reason,
      completed,
      clock,
      // Only for what it says of the claims.
      dryRun: dryRun || isBehind || cannotGo || this.#isBack(message),
    });
    const leave = (why: WhyLeft, error?: Error): FreedMessage => ({
      ...freed,
      plan: { do: 'leave', why, ...defined({ error }) },
      claims: freed.claims.map((claim) => ({ ...claim, isReleased: false })),
    });
    if (this.#isBack(message)) return leave('came-back');
    if (freed.plan.do === 'leave') return freed;
    if (isBehind) return leave('behind');
    if (freed.plan.do === 'move' && cannotGo) return leave('no-destination', this.#noDestination(message));
    return freed;
  }

  /** It keeps its id when a redrive policy moves it; `deadLetterQueue()` names the id that it had. */
  #isBack({ messageId, recordId }: DeadLetterMessage): boolean {
    return this.#sent.has(messageId) || this.#sent.has(recordId);
  }

  #noDestination({ source }: DeadLetterMessage): ConfigurationError {
    const told = source === undefined ? '' : `; the message says that it came from \`${source}\``;
    return new ConfigurationError(
      `It is not known which queue the message came from: set \`destinationUrl\`${told}`,
    );
  }
}
