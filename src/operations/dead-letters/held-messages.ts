import { changeVisibilities } from '../../queues/visibility.ts';
import type { DeadLetterQueue } from './dead-letter-queue.ts';
import type { ReceivedMessage } from './dead-letter-sqs.ts';

const MOST_PER_RECEIVE = 10;
/** A receive that waits queries all servers of SQS; one that does not wait may miss messages. */
const WAIT_SECONDS = 1;
/** The number of consecutive receives without a new message after which the queue counts as empty. */
const RECEIVES = 3;
/** Entries of concurrent requests, ten in each. */
const ENTRIES_AT_ONCE = 50;

/** Received messages, hidden until they are deleted or shown again. A timer renews their timeouts. */
export class HeldMessages {
  readonly #queue: DeadLetterQueue;
  readonly #hiddenSeconds: number;
  readonly #handles = new Map<string, string>();
  readonly #gone = new Set<string>();
  #cancelTimer: () => void;
  #prolonging: Promise<unknown> = Promise.resolve();

  constructor(queue: DeadLetterQueue, hiddenSeconds: number) {
    this.#queue = queue;
    this.#hiddenSeconds = hiddenSeconds;
    this.#cancelTimer = this.#prolongLater();
  }

  get seen(): number {
    return this.#handles.size + this.#gone.size;
  }

  /** Returns up to `most` new messages; undefined once the queue returns no more. */
  async receive(most: number = MOST_PER_RECEIVE): Promise<ReceivedMessage[] | undefined> {
    // A standard queue may deliver a message twice, even one that was just deleted.
    for (let attempt = 1; attempt <= RECEIVES; attempt += 1) {
      const { Messages: received = [] } = await this.#queue.sqs.receiveMessage({
        QueueUrl: this.#queue.queueUrl,
        MaxNumberOfMessages: Math.min(most, MOST_PER_RECEIVE),
        VisibilityTimeout: this.#hiddenSeconds,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      });
      if (received.length === 0) return undefined;
      const fresh = received.filter(
        ({ MessageId: id = '' }) => !this.#handles.has(id) && !this.#gone.has(id),
      );
      for (const { MessageId: id = '', ReceiptHandle: handle = '' } of received) {
        if (!this.#gone.has(id)) this.#handles.set(id, handle);
      }
      if (fresh.length > 0) return fresh;
    }
    return undefined;
  }

  handleOf(messageId: string): string | undefined {
    return this.#handles.get(messageId);
  }

  /** Stops holding a message that was deleted or must not be shown again. */
  letGo(messageId: string): void {
    this.#handles.delete(messageId);
    this.#gone.add(messageId);
  }

  /** Shows the remaining messages. Returns how many could not be shown: they reappear after their timeout. */
  async close(): Promise<number> {
    this.#cancelTimer();
    this.#cancelTimer = () => undefined;
    await this.#prolonging; // a pending renewal would hide them again
    return this.#change(0);
  }

  #prolongLater(): () => void {
    const hiddenMs = this.#hiddenSeconds * 1_000;
    return this.#queue.clock.setTimer(() => {
      this.#prolonging = this.#change(hiddenMs);
      this.#cancelTimer = this.#prolongLater();
    }, hiddenMs / 3);
  }

  async #change(delayMs: number): Promise<number> {
    const { sqs, queueUrl } = this.#queue;
    const handles = [...this.#handles.values()];
    const changes = handles.map((receiptHandle) => ({ queueUrl, receiptHandle, delayMs }));
    let failed = 0;
    for (let start = 0; start < changes.length; start += ENTRIES_AT_ONCE) {
      const errors = await changeVisibilities(sqs, changes.slice(start, start + ENTRIES_AT_ONCE));
      failed += errors.filter((error) => error !== undefined).length;
    }
    return failed;
  }
}
