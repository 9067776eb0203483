/** Handlers that have not ended, also where nobody waits for them any longer. */
export class HandlersAtWork {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  async run(handler: () => unknown): Promise<unknown> {
    this.#count += 1;
    try {
      return await handler();
    } finally {
      this.#count -= 1;
    }
  }
}
