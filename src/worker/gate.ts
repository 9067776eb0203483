/** A shared wait that ends when `open()` is called. Later calls of `opened()` start a new one. */
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
