import { randomUUID } from 'node:crypto';
import { type Clock, wait } from '../base/clock.ts';
import type { Stop } from '../base/stop.ts';
import { type MessageQueue, MOST_IN_REQUEST, type ReceivedMessage, toError } from './sqs-queue.ts';
import type { Permits } from './permits.ts';

export interface ReceiversSetup {
  readonly queue: Pick<MessageQueue, 'receive'>;
  readonly permits: Permits;
  readonly clock: Clock;
  readonly random: () => number;
  readonly receivers: number;
  readonly isFifo: boolean;
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
  /** Aborted when the worker stops receiving. Receives that are on their way then still end by themselves. */
  readonly stop: Stop;
  /** Aborts receives. SQS may go on with one and hide messages that nobody gets. */
  readonly giveUp: Stop;
  /** The free permits that make a receive worth its price. Fewer are used only if slots would be idle. */
  readonly enough: number;
  /** Whether a slot is idle. */
  readonly isHungry: () => boolean;
  /** Returns the limit of the next receive, or a promise that resolves when receiving may go on. */
  readonly mayReceive: () => number | Promise<void>;
  /** Also called with an empty list. */
  readonly onMessages: (messages: readonly ReceivedMessage[]) => void;
  readonly onError: (error: Error, nextInMs: number) => void;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 20_000;

/**
 * Receives messages with long polling. One receive waits on an empty queue. Each full answer adds another,
 * up to `receivers`; each empty one removes one. Errors back off exponentially with full jitter.
 */
export class Receivers {
  readonly #setup: ReceiversSetup;
  readonly #loops = new Set<Promise<void>>();
  /** Loops that will receive again. */
  #receiving = 0;
  /** Failed receives since the last success, in all loops. */
  #failures = 0;
  #onTheWay = 0;

  constructor(setup: ReceiversSetup) {
    this.#setup = setup;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Adds a receive, up to `receivers`. */
  start(): void {
    const { stop, receivers } = this.#setup;
    if (stop.aborted || this.#receiving >= receivers) return;
    this.#receiving += 1;
    const loop = this.#receiveUntilIdle().finally(() => this.#loops.delete(loop));
    this.#loops.add(loop);
  }

  /** Resolves when no receive is in progress. */
  async ended(): Promise<void> {
    while (this.#loops.size > 0) await Promise.all(this.#loops);
  }

  /** Receives until the queue is empty. The last loop stays. */
  async #receiveUntilIdle(): Promise<void> {
    const { stop } = this.#setup;
    while (!stop.aborted) {
      const received = await this.#receive();
      if (received === 0 && this.#receiving > 1) {
        this.#receiving -= 1; // before any await: one of several empty loops must stay
        return;
      }
    }
  }

  /** Returns the number of messages; undefined if it is unknown. */
  async #receive(): Promise<number | undefined> {
    const { queue, permits, waitSeconds, visibilitySeconds, isFifo, stop, giveUp, onMessages } = this.#setup;
    const most = await this.#most();
    if (most === 0) return undefined;
    let received = 0;
    try {
      // A retry with the same id returns the same messages of a FIFO queue.
      const attempt = isFifo ? { attemptId: randomUUID() } : {};
      const messages = await queue.receive({ most, waitSeconds, visibilitySeconds, ...attempt }, giveUp);
      received = messages.length;
      this.#failures = 0;
      if (received === MOST_IN_REQUEST) this.start();
      onMessages(messages);
      return received;
    } catch (thrown) {
      if (!stop.aborted) await this.#waitOut(thrown);
      return undefined;
    } finally {
      this.#onTheWay -= 1;
      permits.give(most - received);
    }
  }

  /**
   * Takes permits for a receive once there are enough, or one slot is idle and no other receive is in
   * progress. Below a limit of ten, receives run one at a time. Returns 0 if the caller must ask again.
   */
  async #most(): Promise<number> {
    const { permits, stop, enough, isHungry, mayReceive } = this.#setup;
    while (!stop.aborted) {
      const allowed = mayReceive();
      if (typeof allowed !== 'number') {
        await allowed;
        return 0;
      }
      const isNeeded = permits.free > 0 && isHungry() && this.#onTheWay === 0;
      const isWorthIt =
        permits.free >= Math.min(allowed, enough) && (allowed >= MOST_IN_REQUEST || this.#onTheWay === 0);
      if (isNeeded || isWorthIt) {
        this.#onTheWay += 1;
        return permits.take(Math.min(allowed, MOST_IN_REQUEST));
      }
      await permits.changed();
    }
    return 0;
  }

  async #waitOut(thrown: unknown): Promise<void> {
    const { clock, random, stop, onError } = this.#setup;
    this.#failures += 1;
    const delayMs = random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    onError(toError(thrown), delayMs);
    await wait(clock, delayMs, stop);
  }
}
