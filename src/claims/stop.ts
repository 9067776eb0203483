import { setMaxListeners } from 'node:events';
import type { StoreCallOptions } from './claim-store.ts';

/** Says when something is over: an `AbortSignal`, or what has as much of one as is needed here. */
export type StopSignal = AbortSignal | Stop;

/**
 * What `AbortController` is, at a hundredth of its price: the platform's takes longer to be made than a record takes
 * from its claim to its end. A signal of the platform is made of it when somebody asks for `signal`, so that it can be
 * given as the options of a store's call.
 */
export class Stop implements StoreCallOptions {
  #controller: AbortController | undefined;
  #listeners: Set<() => void> | undefined;
  #isAborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#isAborted;
  }

  /** Why it was aborted; undefined while it is not, and where nobody said. */
  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      // Every request to the store listens, and there are more than ten at a time: that is no leak.
      setMaxListeners(0, this.#controller.signal);
      if (this.#isAborted) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Only the first one counts. */
  abort(reason?: unknown): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners ?? []) listener();
    this.#listeners = undefined;
    this.#controller?.abort(reason);
  }

  /** As of an `AbortSignal`: one that is aborted already calls nothing. A listener must not throw. */
  addEventListener(_abort: 'abort', listener: () => void, _once?: { readonly once: true }): void {
    if (!this.#isAborted) (this.#listeners ??= new Set()).add(listener);
  }

  removeEventListener(_abort: 'abort', listener: () => void): void {
    this.#listeners?.delete(listener);
  }
}

/** Resolves when the signal is aborted. */
export function whenAborted(signal: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

// Not by `instanceof`: a policy may be of another copy of this package.

/** The signal that the platform knows. */
export function platformSignal(signal: StopSignal): AbortSignal {
  return 'signal' in signal ? signal.signal : signal;
}

/** The options of a store's call that this ends. */
export function endedBy(signal: StopSignal): StoreCallOptions {
  return 'signal' in signal ? signal : { signal };
}

const STOP: unique symbol = Symbol.for('batchlatch.stop');

/** Options with the signal of a stop: a property of their own, so that stores may copy them, which is made when it is looked at. */
export function signalOf(stop: Stop): Required<Pick<StoreCallOptions, 'signal'>> {
  const options = {
    [STOP]: stop,
    get signal() {
      return stop.signal;
    },
  };
  return options;
}

/** What ends the call of a store that has these options. */
export function stopOf(options: StoreCallOptions | undefined): StopSignal | undefined {
  if (isStop(options)) return options;
  return (options as { readonly [STOP]?: Stop } | undefined)?.[STOP] ?? options?.signal;
}

export function isStop(options: StoreCallOptions | undefined): options is Stop {
  return options !== undefined && 'aborted' in options;
}
