/** A wait that many share, until somebody opens it. The next wait after that is another one. */
export class Gate {
  #waiting: { readonly opened: Promise<void>; readonly open: () => void } | undefined;

  opened(): Promise<void> {
    if (this.#waiting === undefined) {
      let open = (): void => undefined;
      const opened = new Promise<void>((resolve) => (open = resolve));
      this.#waiting = { opened, open };
    }
    return this.#waiting.opened;
  }

  open(): void {
    this.#waiting?.open();
    this.#waiting = undefined;
  }
}
