/** What must be stopped at the end, whatever happens before; last started, first stopped. */
export class DisposeStack {
  readonly #steps: (() => Promise<void> | void)[] = [];

  defer(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** Runs every step; an error of one does not prevent the others, and is thrown at the end. */
  async run(): Promise<void> {
    const errors: unknown[] = [];
    for (let step = this.#steps.pop(); step !== undefined; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }
}
