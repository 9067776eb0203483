import { builtIn } from './built-in.ts';

const { setMaxListeners } = builtIn('node:events');

/**
 * A signal that something is over: an `AbortSignal`, or the part of one that stores need. `platformSignal`
 * returns the `AbortSignal` for `fetch` and other platform functions.
 */
export interface StopSignal {
  /** Whether it is aborted. */
  readonly aborted: boolean;
  /** The reason of the abort; undefined before it, or if none was given. */
  readonly reason: unknown;
  /**
   * Adds a listener for the abort. A signal that is already aborted does not call it.
   *
   * @param type Always `abort`.
   * @param listener The function to call, once for a `Stop`. It must not throw.
   * @param options As for an `AbortSignal`.
   */
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  /**
   * Removes a listener.
   *
   * @param type Always `abort`.
   * @param listener The listener that was added.
   */
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * An `AbortController` and its signal in one, at a hundredth of the cost: the platform's takes longer to
 * create than a record takes from claim to end. `signal` creates an `AbortSignal` on first use.
 */
export class Stop implements StopSignal {
  aborted = false;
  reason: unknown = undefined;
  #controller: AbortController | undefined;
  #listeners: Set<() => void> | undefined;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Every request to the store adds a listener, so more than ten at once are no leak.
      setMaxListeners(0, this.#controller.signal);
      if (this.aborted) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** Aborts the signal. Only the first call counts. */
  abort(reason?: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of this.#listeners ?? []) listener();
    this.#listeners = undefined;
    this.#controller?.abort(reason);
  }

  addEventListener(_type: 'abort', listener: () => void, _options?: { readonly once?: boolean }): void {
    if (!this.aborted) (this.#listeners ??= new Set()).add(listener);
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
  // `instanceof` would fail for a stop of another copy of this package.
  return 'signal' in signal ? (signal.signal as AbortSignal) : (signal as AbortSignal);
}
