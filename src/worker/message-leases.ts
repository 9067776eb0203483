import { SHORT_LEASE_MS } from '../attempts/lease.ts';
import { type HeldMessage, receivesOf } from './held-message.ts';
import { MOST_IN_REQUEST, type QueueFacts, type ReceivedMessage } from './sqs-queue.ts';
import { VisibilityKeeper, type VisibilitySetup } from './visibility-keeper.ts';
import type { MutableCounters } from './worker.ts';

/** The least time to hide a message, even if the queue has less: leases must end before it comes again. */
const SHORTEST_VISIBILITY_MS = 60_000;
/** The longest lease, as a share of the visibility timeout: when a message comes again, its claim is free. */
const LEASE_SHARE = 2 / 3;
/** The least time to hide a message that waits for its turn, so that it is not received again at once. */
const SHORTEST_TURN_MS = 30_000;
/** The most: by then the worker may be gone, or its rate changed. */
const LONGEST_TURN_MS = 15 * 60_000;

export interface MessageLeasesSetup extends VisibilitySetup {
  readonly counters: MutableCounters;
}

/** The messages that a worker holds, from their receive until they are deleted, failed or handed back. */
export class MessageLeases {
  readonly #setup: MessageLeasesSetup;
  /**
   * Messages by id. SQS may deliver one again while it is here: delivery is at least once, and a failed
   * renewal makes a message visible. It must not run a second time beside the first.
   */
  readonly #here = new Map<string, HeldMessage>();
  readonly #handingBack = new Set<Promise<void>>();
  #facts: QueueFacts | undefined;
  #visibility: VisibilityKeeper | undefined;
  #visibilityMs = SHORTEST_VISIBILITY_MS;

  constructor(setup: MessageLeasesSetup) {
    this.#setup = setup;
  }

  get visibilityMs(): number {
    return this.#visibilityMs;
  }

  /** The receive count after which a message moves to the dead-letter queue; undefined without one. */
  get maxReceives(): number | undefined {
    return this.#facts?.maxReceives;
  }

  /** The longest default lease. Without renewals it ends before its message comes again. */
  get longestLeaseMs(): number {
    return Math.min(this.#visibilityMs * LEASE_SHARE, SHORT_LEASE_MS);
  }

  start(facts: QueueFacts): void {
    this.#facts = facts;
    this.#visibilityMs = Math.max(facts.visibilityTimeoutMs, SHORTEST_VISIBILITY_MS);
    this.#visibility = new VisibilityKeeper(this.#setup, this.#visibilityMs, this.longestLeaseMs);
  }

  /** Returns the received messages that are new here. The others continue under their new receipt handles. */
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

  /** Stops renewing these messages. */
  async release(held: readonly HeldMessage[]): Promise<void> {
    for (const one of held) one.isEnding = true;
    await this.#visibility?.release(held);
  }

  /** Releases messages that have run. Failed ones are hidden no longer than the queue's timeout says. */
  async releaseRun(held: readonly HeldMessage[], failed: ReadonlySet<string>): Promise<void> {
    await this.release(held);
    const { visibilityTimeoutMs = Infinity } = this.#facts ?? {};
    if (visibilityTimeoutMs >= this.#visibilityMs) return;
    const again = held.filter(({ message }) => failed.has(message.messageId));
    await this.#showAgain(again, visibilityTimeoutMs);
  }

  /** Forgets these messages: they may be delivered again. */
  forget(held: readonly HeldMessage[]): void {
    for (const one of held) {
      const { messageId } = one.message;
      if (this.#here.get(messageId) === one) this.#here.delete(messageId);
    }
  }

  /** Makes messages visible again that have not started. Each has lost a receive. Never rejects. */
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
   * Hands messages back until their turn. Returns false for messages that have used half of their receives:
   * each receive brings them nearer to the dead-letter queue, and handlers that fail need the rest.
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

  /** Makes messages visible again after `inMs`. Never rejects: their visibility timeout ends anyway. */
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
    // SQS's ids are unique, but emulators may repeat them. Another body is another message.
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
