import type { WorkerOptions } from 'batchlatch/worker';

type Sqs = Extract<NonNullable<WorkerOptions['client']>, { receiveMessage: unknown }>;

/** An SQS client in this process: of a queue that has a message whenever one is put. */
export class OneMessageQueue implements Sqs {
  static readonly url = 'https://sqs.us-east-1.amazonaws.com/000000000000/way';
  readonly #waiting: { MessageId: string; ReceiptHandle: string; Body: string }[] = [];
  #put = 0;
  #wake: () => void = () => undefined;
  #noteDeleted: () => void = () => undefined;

  /** Puts a message. Resolves when the worker has deleted it. */
  put(): Promise<void> {
    return new Promise((resolve) => {
      this.#noteDeleted = resolve;
      this.#put += 1;
      this.#waiting.push({ MessageId: `w${this.#put}`, ReceiptHandle: `r${this.#put}`, Body: '{"a":1}' });
      this.#wake();
    });
  }

  /** Waits for a message, or for the end of the worker. */
  async receiveMessage(_input: object, { abortSignal }: { abortSignal?: AbortSignal } = {}) {
    if (this.#waiting.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        abortSignal?.addEventListener('abort', () => resolve());
      });
    }
    return { Messages: this.#waiting.splice(0) };
  }

  async deleteMessageBatch() {
    setImmediate(() => this.#noteDeleted());
    return {};
  }

  async changeMessageVisibilityBatch() {
    return {};
  }

  async getQueueAttributes() {
    return { Attributes: { QueueArn: 'arn:aws:sqs:us-east-1:000000000000:way', VisibilityTimeout: '30' } };
  }
}
