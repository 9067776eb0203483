import { SHORT_LEASE_MS } from '../attempts/lease.ts';
import { type HeldMessage, receivesOf } from './held-message.ts';
import { MOST_IN_REQUEST, type QueueFacts, type ReceivedMessage } from './sqs-queue.ts';
import { VisibilityKeeper, type VisibilitySetup } from './visibility-keeper.ts';
import type { MutableCounters } from './worker.ts';

/** Messages are hidden for at least this long, also where the queue says less: a lease has to be over before its message comes again. */
const SHORTEST_VISIBILITY_MS = 60_000;
/** How much of the time that a message is hidden a lease may last: what dies then comes again when its claim can be taken over. */
const LEASE_SHARE = 2 / 3;
/** A message that waits for its turn elsewhere is hidden for at least this long, so that it is not received at once again. */
const SHORTEST_TURN_MS = 30_000;
/** And for no longer: the worker may have gone by then, or its rate may be another. */
const LONGEST_TURN_MS = 15 * 60_000;

export interface MessageLeasesSetup extends VisibilitySetup {
  readonly counters: MutableCounters;
}

/** The messages that a worker has, from their receive until they are deleted, have failed, or are handed back. */
export class MessageLeases {
  readonly #setup: MessageLeasesSetup;
  /**
   * By id. SQS may deliver a message again while it is here: a queue promises no more than at least once, and a message whose
   * renewal failed is visible. It does not run a second time beside the first.
   */
  readonly #here = new Map<string, HeldMessage>();
  readonly #handingBack = new Set<Promise<void>>();
  #facts: QueueFacts | undefined;
  #visibility: VisibilityKeeper | undefined;
  #visibilityMs = SHORTEST_VISIBILITY_MS;

  constructor(setup: MessageLeasesSetup) {
    this.#setup = setup;
  }

  /** How long a receive or a renewal hides a message. */
  get visibilityMs(): number {
    return this.#visibilityMs;
  }

  /** After how many receives a message moves to a dead-letter queue; undefined: it never does. */
  get maxReceives(): number | undefined {
    return this.#facts?.maxReceives;
  }

  /** The longest default lease of what is held: it ends before its message comes again, if nobody renews either. */
  get longestLeaseMs(): number {
    return Math.min(this.#visibilityMs * LEASE_SHARE, SHORT_LEASE_MS);
  }

  start(facts: QueueFacts): void {
    this.#facts = facts;
    this.#visibilityMs = Math.max(facts.visibilityTimeoutMs, SHORTEST_VISIBILITY_MS);
    this.#visibility = new VisibilityKeeper(this.#setup, this.#visibilityMs, this.longestLeaseMs);
  }

  /** Of what was received, that which is not here already; the rest goes on under its new receipt handle. */
  take(received: readonly ReceivedMessage[]): HeldMessage[] {
    const { clock, counters } = this.#setup;
    counters.received += received.length;
    const held: HeldMessage[] = [];
    for (const message of received) {
      if (this.#takeOver(message)) continue;
      const { messageId } = message;
      const receivedAt = clock.now();
      const one = { message, receivedAt, hiddenUntil: receivedAt + this.#visibilityMs, isEnding: false };
      if (messageId !== '' && !this.#here.has(messageId)) this.#here.set(messageId, one);
      held.push(one);
    }
    this.#visibility?.keep(held);
    return held;
  }

  /** Nothing changes their visibility from now on but what the caller does. */
  async release(held: readonly HeldMessage[]): Promise<void> {
    for (const one of held) one.isEnding = true;
    await this.#visibility?.release(held);
  }

  /**
   * The same, of what has run. Those that failed are shown again when the queue's own visibility timeout is over, where they are
   * hidden for longer here.
   */
  async releaseRun(held: readonly HeldMessage[], failed: ReadonlySet<string>): Promise<void> {
    await this.release(held);
    const { visibilityTimeoutMs = Infinity } = this.#facts ?? {};
    if (visibilityTimeoutMs >= this.#visibilityMs) return;
    const again = held.filter(({ message }) => failed.has(message.messageId));
    await this.#showAgain(again, visibilityTimeoutMs);
  }

  /** They may come again. */
  forget(held: readonly HeldMessage[]): void {
    for (const one of held) {
      const { messageId } = one.message;
      if (this.#here.get(messageId) === one) this.#here.delete(messageId);
    }
  }

  /** Shows messages again that have not started. They have been received once more, which cannot be taken back. Never rejects. */
  async handBack(held: readonly HeldMessage[], inMs = 0): Promise<void> {
    if (held.length === 0) return;
    this.#setup.counters.handedBack += held.length;
    const shown = this.release(held).then(() => this.#showAgain(held, inMs));
    this.#handingBack.add(shown);
    await shown;
    this.#handingBack.delete(shown);
    this.forget(held);
  }

  /**
   * The same, until the turn of messages that may not start before. False: they have been received too often for that. Each receive
   * brings a message nearer to the dead-letter queue, and more than half of them are left to handlers that fail.
   */
  handBackUntil(held: readonly HeldMessage[], at: number): boolean {
    const { maxReceives = Infinity } = this;
    if (!held.every((one) => receivesOf(one) * 2 < maxReceives)) return false;
    const inMs = at - this.#setup.clock.now();
    void this.handBack(held, Math.min(Math.max(inMs, SHORTEST_TURN_MS), LONGEST_TURN_MS));
    return true;
  }

  async settled(): Promise<void> {
    while (this.#handingBack.size > 0) await Promise.all(this.#handingBack);
  }

  /** Before their time is over. Never rejects: else they are shown again when it is. */
  async #showAgain(held: readonly HeldMessage[], inMs: number): Promise<void> {
    const { queue, signal } = this.#setup;
    const seconds = Math.ceil(inMs / 1_000);
    const changes = held.map(({ message: { receiptHandle } }) => ({ receiptHandle, seconds }));
    const requests: Promise<unknown>[] = [];
    for (let from = 0; from < changes.length; from += MOST_IN_REQUEST) {
      requests.push(queue.changeVisibility(changes.slice(from, from + MOST_IN_REQUEST), signal));
    }
    await Promise.allSettled(requests);
  }

  #takeOver(message: ReceivedMessage): boolean {
    const held = this.#here.get(message.messageId);
    // Ids are SQS's, but queues that are like SQS may give one twice: other bodies are other messages.
    if (held === undefined || held.message.body !== message.body) return false;
    const { clock, counters } = this.#setup;
    counters.receivedAgain += 1;
    held.message = message;
    if (held.isEnding === true) return true;
    held.receivedAt = clock.now();
    held.hiddenUntil = held.receivedAt + this.#visibilityMs;
    this.#visibility?.keep([held]);
    return true;
  }
}
