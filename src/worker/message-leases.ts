import { SHORT_LEASE_MS } from '../attempts/lease.ts';
import type { Clock } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import { showAgain, turnOf } from './release-messages.ts';
import type { HeldMessage } from './held-message.ts';
import type { MessageQueue, QueueFacts, ReceivedMessage } from './sqs-queue.ts';
import { InFlight } from './in-flight.ts';
import { VisibilityKeeper } from './visibility-keeper.ts';
import type { MutableCounters } from './worker.ts';

/** Messages are hidden for at least this long, also where the queue says less: a lease has to be over before its message comes again. */
const SHORTEST_VISIBILITY_MS = 60_000;
/** How much of the time that a message is hidden a lease may last: what dies then comes again when its claim can be taken over. */
const LEASE_SHARE = 2 / 3;

export interface MessageLeasesSetup {
  readonly queue: Pick<MessageQueue, 'changeVisibility'>;
  readonly clock: Clock;
  readonly counters: MutableCounters;
  /** Ends all requests. */
  readonly signal: StopSignal;
  readonly onLost: (messageId: string, error: Error) => void;
}

/** The messages that a worker has, from their receive until they are deleted, have failed, or are handed back. */
export class MessageLeases {
  readonly #setup: MessageLeasesSetup;
  readonly #here = new InFlight();
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
    const { queue, clock, signal, onLost } = this.#setup;
    this.#facts = facts;
    this.#visibilityMs = Math.max(facts.visibilityTimeoutMs, SHORTEST_VISIBILITY_MS);
    this.#visibility = new VisibilityKeeper({
      queue,
      clock,
      timeoutMs: this.#visibilityMs,
      leaseMs: this.longestLeaseMs,
      signal,
      onLost: ({ message: { messageId } }, error) => onLost(messageId, error),
    });
  }

  /** Of what was received, that which is not here already; the rest goes on under its new receipt handle. */
  take(received: readonly ReceivedMessage[]): HeldMessage[] {
    this.#setup.counters.received += received.length;
    const held: HeldMessage[] = [];
    for (const message of received) {
      if (this.#takeOver(message)) continue;
      const receivedAt = this.#setup.clock.now();
      const one = { message, receivedAt, hiddenUntil: receivedAt + this.#visibilityMs };
      this.#here.add(one);
      held.push(one);
    }
    this.#visibility?.keep(held);
    return held;
  }

  /** Nothing changes their visibility from now on but what the caller does. */
  async release(held: readonly HeldMessage[]): Promise<void> {
    for (const one of held) this.#here.noteEnding(one);
    await this.#visibility?.release(held);
  }

  /**
   * The same, of what has run. Those that failed are shown again when the queue's own visibility timeout is over, where they are
   * hidden for longer here.
   */
  async releaseRun(held: readonly HeldMessage[], failed: ReadonlySet<string>): Promise<void> {
    await this.release(held);
    const { queue, signal } = this.#setup;
    const { visibilityTimeoutMs = Infinity } = this.#facts ?? {};
    const again = held.filter(({ message }) => failed.has(message.messageId));
    if (again.length === 0 || visibilityTimeoutMs >= this.#visibilityMs) return;
    await showAgain(queue, again, visibilityTimeoutMs, signal);
  }

  /** They may come again. */
  forget(held: readonly HeldMessage[]): void {
    for (const one of held) this.#here.forget(one);
  }

  /** Shows messages again that have not started. They have been received once more, which cannot be taken back. Never rejects. */
  async handBack(held: readonly HeldMessage[], inMs = 0): Promise<void> {
    const { queue, signal, counters } = this.#setup;
    if (held.length === 0) return;
    counters.handedBack += held.length;
    const shown = this.release(held).then(() => showAgain(queue, held, inMs, signal));
    this.#handingBack.add(shown);
    await shown;
    this.#handingBack.delete(shown);
    this.forget(held);
  }

  /** Resolves when nothing is being handed back. */
  async settled(): Promise<void> {
    while (this.#handingBack.size > 0) await Promise.all(this.#handingBack);
  }

  /** The same, until the turn of messages that may not start before. False: they have been received too often for that. */
  handBackUntil(held: readonly HeldMessage[], at: number): boolean {
    const turns = held.map((one) => turnOf(one, at, this.#facts?.maxReceives, this.#setup.clock));
    if (turns.includes(undefined)) return false;
    void this.handBack(held, turns[0]);
    return true;
  }

  #takeOver(message: ReceivedMessage): boolean {
    const here = this.#here.find(message);
    if (here === undefined) return false;
    const { clock, counters } = this.#setup;
    const { held } = here;
    counters.receivedAgain += 1;
    held.message = message;
    if (here.isEnding) return true;
    held.receivedAt = clock.now();
    held.hiddenUntil = held.receivedAt + this.#visibilityMs;
    this.#visibility?.keep([held]);
    return true;
  }
}
