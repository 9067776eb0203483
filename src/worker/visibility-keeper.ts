import type { Clock } from '../base/clock.ts';
import type { StopSignal } from '../base/stop.ts';
import type { HeldMessage } from './held-message.ts';
import { type MessageQueue, MOST_IN_REQUEST, type VisibilityOf } from './sqs-queue.ts';

/** SQS's limit: a message is invisible for no longer from its receive on, whatever is asked for. */
const LONGEST_MS = 12 * 60 * 60 * 1_000;
/** SQS counts in seconds. */
const SHORTEST_MS = 1_000;

export interface VisibilityKeeperSetup {
  readonly queue: Pick<MessageQueue, 'changeVisibility'>;
  readonly clock: Clock;
  /** How long each renewal hides a message, in milliseconds. */
  readonly timeoutMs: number;
  /** How long the leases of messages may last: they end before their messages come again. */
  readonly leaseMs: number;
  readonly signal: StopSignal;
  /** A message that is no longer hidden from others; the worker goes on with it under its claim. */
  readonly onLost: (held: HeldMessage, error: Error) => void;
}

/** How often it is looked which messages are to be renewed, as a share of their time. */
const TICK_SHARE = 1 / 12;
/** How much longer than a lease a message stays hidden at least: a renewal takes its time. */
const SLACK_SHARE = 1 / 8;

/**
 * Keeps messages invisible while they wait and while they run: renewed when half of their time is over, or earlier, so that they are
 * always hidden for longer than a lease may last.
 */
export class VisibilityKeeper {
  readonly #setup: VisibilityKeeperSetup;
  readonly #held = new Set<HeldMessage>();
  /** Renewals on their way, by their messages. */
  readonly #renewing = new Map<HeldMessage, Promise<void>>();
  #cancel: (() => void) | undefined;

  constructor(setup: VisibilityKeeperSetup) {
    this.#setup = setup;
  }

  keep(messages: readonly HeldMessage[]): void {
    for (const held of messages) this.#held.add(held);
    this.#schedule();
  }

  /**
   * Renews these no longer. Resolves when no renewal of them is on its way any more, so that what is asked of the queue next is
   * the last that it hears of them.
   */
  async release(messages: readonly HeldMessage[]): Promise<void> {
    for (const held of messages) this.#held.delete(held);
    if (this.#held.size === 0) this.#stopTimer();
    if (this.#renewing.size === 0) return;
    await Promise.all(messages.flatMap((held) => this.#renewing.get(held) ?? []));
  }

  #schedule(): void {
    if (this.#cancel !== undefined || this.#held.size === 0) return;
    const { clock, timeoutMs } = this.#setup;
    this.#cancel = clock.setTimer(() => {
      this.#cancel = undefined;
      this.#renewAll();
      this.#schedule();
    }, timeoutMs * TICK_SHARE);
  }

  #stopTimer(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #renewAll(): void {
    const { clock, timeoutMs, leaseMs } = this.#setup;
    const now = clock.now();
    for (const held of this.#held) {
      if (now < held.receivedAt + LONGEST_MS - SHORTEST_MS) continue;
      this.#held.delete(held);
      this.#setup.onLost(held, new Error('SQS hides a message for 12 hours at most'));
    }
    const dueMs = Math.max(timeoutMs / 2, leaseMs * (1 + SLACK_SHARE) + timeoutMs * TICK_SHARE);
    const due = [...this.#held].filter(
      (held) => held.hiddenUntil - now <= dueMs && !this.#renewing.has(held),
    );
    for (let from = 0; from < due.length; from += MOST_IN_REQUEST) {
      const group = due.slice(from, from + MOST_IN_REQUEST);
      const renewal = this.#renew(group, now).finally(() => {
        for (const held of group) this.#renewing.delete(held);
      });
      for (const held of group) this.#renewing.set(held, renewal);
    }
  }

  /** Never rejects: what was not renewed is tried again at the next turn, until its time is over. */
  async #renew(group: readonly HeldMessage[], now: number): Promise<void> {
    const { queue, clock, timeoutMs, signal } = this.#setup;
    const changes = group.map(({ message: { receiptHandle }, receivedAt }): VisibilityOf => ({
      receiptHandle,
      seconds: Math.max(Math.ceil(Math.min(timeoutMs, receivedAt + LONGEST_MS - now) / 1_000), 0),
    }));
    let errors: readonly (Error | undefined)[];
    try {
      errors = await queue.changeVisibility(changes, signal);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      errors = group.map(() => error);
    }
    group.forEach((held, index) => {
      const error = errors[index];
      if (error === undefined) {
        held.hiddenUntil = now + (changes[index]?.seconds ?? 0) * 1_000;
      } else if (held.hiddenUntil <= clock.now() && this.#held.delete(held)) {
        this.#setup.onLost(held, error);
      }
    });
  }
}
