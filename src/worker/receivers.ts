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
  /** Aborted when nothing is to be received any more. */
  readonly stop: Stop;
  /** A receive is worth its price with so many messages; fewer are received only where slots would be idle. */
  readonly enough: number;
  /** Whether there is a slot, and nothing to fill it. */
  readonly isHungry: () => boolean;
  /** How many messages may be received at most; a promise: none, until it resolves. */
  readonly mayReceive: () => number | Promise<void>;
  /** Also of none. */
  readonly onMessages: (messages: readonly ReceivedMessage[]) => void;
  readonly onError: (error: Error, nextInMs: number) => void;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 20_000;

/**
 * Receives messages with long polling. One receive waits in an empty queue; each that comes back full adds another, up to
 * `receivers`, and each that comes back empty takes one away. Errors are waited out with exponential back-off and full jitter.
 */
export class Receivers {
  readonly #setup: ReceiversSetup;
  readonly #loops = new Set<Promise<void>>();
  /** Loops that will receive again. */
  #receiving = 0;
  /** Receives that failed since one did not: shared, because the queue is. */
  #failures = 0;
  #onTheWay = 0;

  constructor(setup: ReceiversSetup) {
    this.#setup = setup;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Begins to receive, or adds a receive where there may be more at a time. */
  start(): void {
    const { stop, receivers } = this.#setup;
    if (stop.aborted || this.#receiving >= receivers) return;
    this.#receiving += 1;
    const loop = this.#receiveUntilIdle().finally(() => this.#loops.delete(loop));
    this.#loops.add(loop);
  }

  /** Resolves when no receive is on its way. */
  async ended(): Promise<void> {
    while (this.#loops.size > 0) await Promise.all(this.#loops);
  }

  /** Ends when the queue has nothing for it; the last one stays. */
  async #receiveUntilIdle(): Promise<void> {
    const { stop } = this.#setup;
    while (!stop.aborted) {
      const received = await this.#receive();
      if (received === 0 && this.#receiving > 1) {
        this.#receiving -= 1; // at once: of those that come back empty together, one has to stay
        return;
      }
    }
  }

  /** Returns how many messages there were; undefined if that is not known. */
  async #receive(): Promise<number | undefined> {
    const { queue, permits, waitSeconds, visibilitySeconds, isFifo, stop, onMessages } = this.#setup;
    const most = await this.#most();
    if (most === 0) return undefined;
    let received = 0;
    try {
      // The same id for a receive that is sent again after a lost answer: FIFO queues then give the same messages.
      const attempt = isFifo ? { attemptId: randomUUID() } : {};
      const messages = await queue.receive({ most, waitSeconds, visibilitySeconds, ...attempt }, stop);
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
   * Takes permits for as many as to ask for, once there is room for so many that it is worth a request. An idle slot takes
   * what there is, unless a receive is on its way, which comes back when there is a message. Where fewer than ten may be
   * received, it is by one receive at a time. 0: that has to be asked again.
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
