/** A stack of cleanup steps; the last one added runs first. */
export class DisposeStack {
  readonly #steps: (() => Promise<void> | void)[] = [];

  defer(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  /** Runs every step. If some fail, the others still run, and the first error is thrown. */
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
