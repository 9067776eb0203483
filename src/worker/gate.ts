/** A wait that many share, until somebody opens it. The next wait after that is another one. */
export class Gate {
  #opened: Promise<void> | undefined;
  #open = (): void => undefined;

  opened(): Promise<void> {
    return (this.#opened ??= new Promise((resolve) => (this.#open = resolve)));
  }

  open(): void {
    this.#opened = undefined;
    this.#open();
  }
}
