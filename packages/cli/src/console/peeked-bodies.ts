/** What is kept is in characters of two bytes at most. */
const MOST_CHARACTERS = 16_000_000;

/** The bodies of the messages that were looked at last: pages get them one by one, when somebody asks. */
export class PeekedBodies {
  readonly #bodies = new Map<string, string>();
  #characters = 0;

  /** Keeps one, and forgets the oldest where there are too many. */
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

  /** Undefined for one that was not looked at, or is forgotten. */
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
