/** Where a function waits until the test lets it go on. */
export interface Gate {
  /** Resolves when the first has come. */
  readonly entered: Promise<void>;
  readonly pass: () => Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  let enter: () => void = () => undefined;
  let open: () => void = () => undefined;
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    entered,
    open,
    pass() {
      enter();
      return opened;
    },
  };
}
