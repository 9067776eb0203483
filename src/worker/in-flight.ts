import type { HeldMessage } from './held-message.ts';
import type { ReceivedMessage } from './sqs-queue.ts';

interface Here {
  readonly held: HeldMessage;
  /** Its handler has ended, or it is handed back: it is kept invisible no longer, and may be about to be deleted. */
  isEnding: boolean;
}

/**
 * The messages that are in this process, by their ids. SQS may deliver one again while it is here: a queue promises no more than at
 * least once, and a message whose renewal failed is visible. It does not run a second time beside the first.
 */
export class InFlight {
  readonly #byId = new Map<string, Here>();

  find({ messageId, body }: ReceivedMessage): Here | undefined {
    const here = this.#byId.get(messageId);
    // Ids are SQS's, but queues that are like SQS may give one twice: other bodies are other messages.
    return here?.held.message.body === body ? here : undefined;
  }

  add(held: HeldMessage): void {
    const { messageId } = held.message;
    if (messageId !== '' && !this.#byId.has(messageId)) {
      this.#byId.set(messageId, { held, isEnding: false });
    }
  }

  noteEnding(held: HeldMessage): void {
    const here = this.#of(held);
    if (here !== undefined) here.isEnding = true;
  }

  /** It may come again now. */
  forget(held: HeldMessage): void {
    if (this.#of(held) !== undefined) this.#byId.delete(held.message.messageId);
  }

  #of(held: HeldMessage): Here | undefined {
    const here = this.#byId.get(held.message.messageId);
    return here?.held === held ? here : undefined;
  }
}
