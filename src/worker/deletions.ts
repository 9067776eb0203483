import { type Clock, wait } from '../base/clock.ts';
import { RequestQueue, type RequestGroup } from '../base/request-queue.ts';
import { Stop } from '../base/stop.ts';
import { type MessageQueue, MOST_IN_REQUEST } from './message-queue.ts';

export interface DeletionsSetup {
  readonly queue: Pick<MessageQueue, 'delete'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether more may soon be deleted. */
  readonly isBusy: () => boolean;
}

/** How long a message waits to be deleted with others, in milliseconds. */
const LINGER_MS = 200;
/** Of one message. Afterwards it comes again, and its claim says that it is done. */
const MOST_ATTEMPTS = 4;
const FIRST_DELAY_MS = 100;

/** Deletes messages ten at a time: when ten are there, after 200 ms, or at once when nothing more is expected. */
export class Deletions {
  readonly #setup: DeletionsSetup;
  readonly #stop = new Stop();
  readonly #queue: ReturnType<RequestQueue<string, Error | undefined>['join']>;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(setup: DeletionsSetup) {
    this.#setup = setup;
    const { clock, isBusy } = setup;
    this.#queue = new RequestQueue<string, Error | undefined>({
      requestSize: MOST_IN_REQUEST,
      lingerMs: LINGER_MS,
      clock,
      keyOf: (receiptHandle) => receiptHandle,
      send: (group) => this.#send(group),
      givenUp: () => new Error('The worker stopped before SQS had deleted the message'),
    }).join({ isBusy, signal: this.#stop });
  }

  /** Gives for each message the error, if it could not be deleted. Never rejects. */
  async delete(receiptHandles: readonly string[]): Promise<(Error | undefined)[]> {
    const answers = Promise.all(this.#queue.add(receiptHandles, (error) => error));
    this.#pending.add(answers);
    try {
      return await answers;
    } finally {
      this.#pending.delete(answers);
    }
  }

  /** To be called when something that could have brought another message has ended. */
  flushIfIdle(): void {
    this.#queue.flushIfIdle();
  }

  /** Resolves when all are deleted, or have failed. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) {
      this.#queue.flushIfIdle();
      await Promise.all(this.#pending);
    }
  }

  /** Waits for no answer any longer. */
  giveUp(): void {
    this.#stop.abort();
  }

  async #send(group: RequestGroup<string, Error | undefined>): Promise<void> {
    const { queue, clock, random } = this.#setup;
    let left = group.items.map((_, index) => index);
    for (let attempt = 1; ; attempt += 1) {
      const errors = await this.#deleteOnce(
        queue,
        left.map((index) => group.items[index] as string),
        group.signal,
      );
      const failed: number[] = [];
      left.forEach((index, position) => {
        const error = errors[position];
        if (error === undefined || attempt === MOST_ATTEMPTS) group.answer(index, error);
        else {
          group.note(index, error);
          failed.push(index);
        }
      });
      left = failed.filter((index) => group.isWanted(index));
      if (left.length === 0) return;
      await wait(clock, random() * FIRST_DELAY_MS * 2 ** attempt, group.signal);
    }
  }

  async #deleteOnce(
    queue: Pick<MessageQueue, 'delete'>,
    handles: readonly string[],
    signal: RequestGroup<string, unknown>['signal'],
  ): Promise<(Error | undefined)[]> {
    try {
      return await queue.delete(handles, signal);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      return handles.map(() => error);
    }
  }
}
