import { setMaxListeners } from 'node:events';

/**
 * Says when something is over: an `AbortSignal`, or as much of one as stores need. `platformSignal` gives the `AbortSignal` that
 * `fetch` and other platform functions take.
 */
export interface StopSignal {
  /** Whether it is over. */
  readonly aborted: boolean;
  /** Why it is over; undefined before, and where nobody said. */
  readonly reason: unknown;
  /**
   * Calls the listener when it is over. A signal that is aborted already calls nothing.
   *
   * @param type Always `abort`.
   * @param listener What is called, once for a `Stop`. It must not throw.
   * @param options As of an `AbortSignal`.
   */
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  /**
   * Takes a listener back.
   *
   * @param type Always `abort`.
   * @param listener The listener that was added.
   */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * An `AbortController` and its signal in one, at a hundredth of the price: creating the platform's takes longer than a record
 * takes from its claim to its end. `signal` creates an `AbortSignal` on first use.
 */
export class Stop implements StopSignal {
  #controller: AbortController | undefined;
  #listeners: Set<() => void> | undefined;
  #isAborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#isAborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Every request to the store listens, and more than ten at a time are no leak.
      setMaxListeners(0, this.#controller.signal);
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Aborts it. Only the first call counts. */
  abort(reason?: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners ?? []) listener();
    this.#listeners = undefined;
    this.#controller?.abort(reason);
  }

  addEventListener(_type: 'abort', listener: () => void, _options?: { readonly once?: boolean }): void {
    if (!this.#isAborted) (this.#listeners ??= new Set()).add(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}

export function whenAborted(signal: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Returns the `AbortSignal` of a stop signal, for functions of the platform such as `fetch`.
 *
 * @param signal The `signal` of a store's call.
 */
export function platformSignal(signal: StopSignal): AbortSignal {
  // Not by `instanceof`: it may come from another copy of this package.
  return 'signal' in signal ? (signal.signal as AbortSignal) : (signal as AbortSignal);
}
