import type { Clock } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import type { HeldMessage } from './held-message.ts';
import { errorsOfEach, type MessageQueue, MOST_IN_REQUEST, type VisibilityOf } from './sqs-queue.ts';

/**
 * The longest that a message is invisible, from its receive: SQS's limit of 12 hours, less the time that a
 * receive and a renewal may be on their way. SQS refuses a renewal beyond its limit.
 */
const LONGEST_MS = 12 * 60 * 60 * 1_000 - 10_000;
const SHORTEST_MS = 1_000;

export interface VisibilitySetup {
  readonly queue: Pick<MessageQueue, 'changeVisibility'>;
  readonly clock: Clock;
  /** Ends all requests. */
  readonly signal: StopSignal;
  /** Called when a message has become visible. It continues under its claim. */
  readonly onLost: (messageId: string, error: Error) => void;
}

/** The interval of the checks, as a share of the visibility timeout. */
const TICK_SHARE = 1 / 12;
/** The time for a renewal, as a share of the lease. */
const SLACK_SHARE = 1 / 8;

/**
 * Keeps messages invisible while they wait and run. Renews when half of their time is over, or earlier, so
 * that a message is always hidden for longer than its lease.
 */
export class VisibilityKeeper {
  readonly #setup: VisibilitySetup;
  readonly #timeoutMs: number;
  readonly #leaseMs: number;
  readonly #held = new Set<HeldMessage>();
  readonly #renewing = new Map<HeldMessage, Promise<void>>();
  #cancel: (() => void) | undefined;

  /** Each renewal hides a message for `timeoutMs`; leases last up to `leaseMs`. */
  constructor(setup: VisibilitySetup, timeoutMs: number, leaseMs: number) {
    this.#setup = setup;
    this.#timeoutMs = timeoutMs;
    this.#leaseMs = leaseMs;
    // No renewal could be sent: the timer would keep the process of a stopped worker open.
    setup.signal.addEventListener('abort', () => {
      this.#held.clear();
      this.#cancelTimer();
    });
  }

  keep(messages: readonly HeldMessage[]): void {
    for (const held of messages) this.#held.add(held);
    this.#schedule();
  }

  /**
   * Stops renewing these messages. Resolves when no renewal of them is in progress, so that the next
   * request about them has the last word.
   */
  async release(messages: readonly HeldMessage[]): Promise<void> {
    for (const held of messages) this.#held.delete(held);
    if (this.#held.size === 0) this.#cancelTimer();
    if (this.#renewing.size === 0) return;
    await Promise.all(messages.flatMap((held) => this.#renewing.get(held) ?? []));
  }

  #schedule(): void {
    const { aborted } = this.#setup.signal;
    if (aborted || this.#cancel !== undefined || this.#held.size === 0) return;
    this.#cancel = this.#setup.clock.setTimer(() => {
      this.#cancel = undefined;
      this.#renewAll();
      this.#schedule();
    }, this.#timeoutMs * TICK_SHARE);
  }

  #cancelTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #renewAll(): void {
    const now = this.#setup.clock.now();
    for (const held of this.#held) {
      if (now < held.receivedAt + LONGEST_MS - SHORTEST_MS) continue;
      this.#lose(
        held,
        new Error('SQS hides a message for 12 hours at most: the handler must end before, or split its work'),
      );
    }
    const leaseAndSlackMs = this.#leaseMs * (1 + SLACK_SHARE) + this.#timeoutMs * TICK_SHARE;
    const dueMs = Math.max(this.#timeoutMs / 2, leaseAndSlackMs);
    const due = [...this.#held].filter(
      (held) =>
        held.hiddenUntil - now <= dueMs &&
        held.hiddenUntil <= held.receivedAt + LONGEST_MS - SHORTEST_MS &&
        !this.#renewing.has(held),
    );
    for (let from = 0; from < due.length; from += MOST_IN_REQUEST) {
      const group = due.slice(from, from + MOST_IN_REQUEST);
      const renewal = this.#renew(group, now).finally(() => {
        for (const held of group) this.#renewing.delete(held);
      });
      for (const held of group) this.#renewing.set(held, renewal);
    }
  }

  /** Never rejects: a failed renewal is tried again at the next check, until its time is over. */
  async #renew(group: readonly HeldMessage[], now: number): Promise<void> {
    const { queue, clock, signal } = this.#setup;
    const changes = group.map(({ message: { receiptHandle }, receivedAt }): VisibilityOf => {
      const ms = Math.min(this.#timeoutMs, receivedAt + LONGEST_MS - now);
      return { receiptHandle, seconds: Math.max(Math.floor(ms / 1_000), 0) };
    });
    const errors = await errorsOfEach(group.length, () => queue.changeVisibility(changes, signal));
    group.forEach((held, index) => {
      const error = errors[index];
      if (error === undefined) held.hiddenUntil = now + (changes[index]?.seconds ?? 0) * 1_000;
      else if (held.hiddenUntil <= clock.now()) this.#lose(held, error);
    });
  }

  /** Does nothing for released messages. */
  #lose(held: HeldMessage, error: Error): void {
    if (this.#held.delete(held)) this.#setup.onLost(held.message.messageId, error);
  }
}
