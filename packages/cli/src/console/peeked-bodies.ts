/** The most characters that are kept, of up to two bytes each. */
const MOST_CHARACTERS = 16_000_000;

/** The bodies of recently peeked messages, which pages request one by one. */
export class PeekedBodies {
  readonly #bodies = new Map<string, string>();
  #characters = 0;

  /** Keeps a body, and drops the oldest ones beyond the limit. */
  keep(queueUrl: string, messageId: string, body: string): void {
    const name = nameOf(queueUrl, messageId);
    this.#forget(name);
    this.#bodies.set(name, body);
    this.#characters += body.length;
    for (const oldest of this.#bodies.keys()) {
      if (this.#characters <= MOST_CHARACTERS) return;
      this.#forget(oldest);
    }
  }

  /** Returns a body, or undefined if it was not peeked or was dropped. */
  get(queueUrl: string, messageId: string): string | undefined {
    return this.#bodies.get(nameOf(queueUrl, messageId));
  }

  #forget(name: string): void {
    this.#characters -= this.#bodies.get(name)?.length ?? 0;
    this.#bodies.delete(name);
  }
}

function nameOf(queueUrl: string, messageId: string): string {
  return `${queueUrl}\n${messageId}`;
}
