/** Calls what is entered in it, again and again until it is taken out. */
export interface Ticker {
  readonly everyMs: number;
  add(tick: () => void): void;
  delete(tick: () => void): void;
}

/**
 * One timer for all requests that are open; it does not keep the process alive. Whoever counts ticks is patient with a process
 * that stood still, frozen or busy: an answer that lies in its socket meanwhile is read before the next tick.
 */
export function ticker(everyMs: number): Ticker {
  const open = new Set<() => void>();
  let isRunning = false;
  const run = (): void => {
    isRunning = true;
    const timer = setTimeout(() => {
      isRunning = false;
      for (const tick of open) tick();
      if (open.size > 0 && !isRunning) run();
    }, everyMs);
    timer.unref();
  };
  return {
    everyMs,
    add(tick) {
      open.add(tick);
      if (!isRunning) run();
    },
    delete: (tick) => void open.delete(tick),
  };
}
