import { type Clock, wait } from '../base/clock.ts';
import type { RequestGroup } from '../base/request-group.ts';
import type { QueueAccess } from '../base/queue-member.ts';
import { RequestQueue } from '../base/request-queue.ts';
import { Stop } from '../base/stop.ts';
import { errorsOfEach, type MessageQueue, MOST_IN_REQUEST } from './sqs-queue.ts';

export interface DeletionsSetup {
  readonly queue: Pick<MessageQueue, 'delete'>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether more deletions are expected soon. */
  readonly isBusy: () => boolean;
}

/** How long a deletion waits for others, in milliseconds. */
const LINGER_MS = 200;
/** Attempts to delete a message. After them SQS delivers it again, as a duplicate. */
const MOST_ATTEMPTS = 4;
const FIRST_DELAY_MS = 100;

interface Deletion {
  readonly key: string;
}

/** Deletes messages ten at a time: when ten are there, after 200 ms, or at once if no more are expected. */
export class Deletions {
  readonly #setup: DeletionsSetup;
  readonly #stop = new Stop();
  readonly #queue: QueueAccess<Deletion, number, Error | undefined>;
  readonly #pending = new Set<Promise<unknown>>();

  constructor(setup: DeletionsSetup) {
    this.#setup = setup;
    const { clock, isBusy } = setup;
    this.#queue = new RequestQueue<Deletion, number, Error | undefined>({
      requestSize: MOST_IN_REQUEST,
      lingerMs: LINGER_MS,
      clock,
      send: (group) => this.#send(group),
      givenUp: () =>
        new Error('The worker stopped before SQS had deleted the message: it comes again, as a duplicate'),
    }).join({ isBusy, signal: this.#stop, onError: () => undefined });
  }

  /** Returns the error of each message that could not be deleted. Never rejects. */
  async delete(receiptHandles: readonly string[]): Promise<(Error | undefined)[]> {
    const errors: (Error | undefined)[] = receiptHandles.map(() => undefined);
    let unanswered = receiptHandles.length;
    const answered = new Promise<void>((resolve) => {
      const deletions = receiptHandles.map((key) => ({ key }));
      this.#queue.putAll(deletions, [...receiptHandles.keys()], (index, error) => {
        errors[index] = error;
        unanswered -= 1;
        if (unanswered === 0) resolve();
      });
    });
    this.#pending.add(answered);
    await answered;
    this.#pending.delete(answered);
    return errors;
  }

  /** Call this when a source of further deletions has ended. */
  flushIfIdle(): void {
    this.#queue.flushIfIdle();
  }

  /** Resolves when all are deleted or have failed. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) {
      this.#queue.flushIfIdle();
      await Promise.all(this.#pending);
    }
  }

  /** Stops waiting for answers. */
  giveUp(): void {
    this.#stop.abort();
  }

  async #send(group: RequestGroup<Deletion, number, Error | undefined>): Promise<void> {
    const { queue, clock, random } = this.#setup;
    let left = group.items.map((_, index) => index);
    for (let attempt = 1; ; attempt += 1) {
      const handles = left.map((index) => (group.items[index] as Deletion).key);
      const errors = await errorsOfEach(handles.length, () => queue.delete(handles, group.signal));
      const errorOf = new Map(left.map((index, position) => [index, errors[position]]));
      const failed = left.filter((index) => attempt < MOST_ATTEMPTS && errorOf.get(index) !== undefined);
      for (const index of failed) group.note(index, errorOf.get(index));
      const ended = left.filter((index) => !failed.includes(index));
      group.answer(
        ended,
        ended.map((index) => errorOf.get(index)),
      );
      left = failed.filter((index) => group.isWanted(index));
      if (left.length === 0) return;
      await wait(clock, random() * FIRST_DELAY_MS * 2 ** attempt, group.signal);
    }
  }
}
