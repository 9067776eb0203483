import { getEventListeners } from 'node:events';

/**
 * The signal of one attempt, which knows whether the handler has seen that it was aborted. A handler that has, and then
 * returns, may have stopped half-way: returning is not finishing. A handler has seen it if it
 *
 * - read `aborted` as true, read the `reason`, or called `throwIfAborted()`, after the abort: itself, or through what it
 *   gave the signal to;
 * - had a listener, or a signal made by `AbortSignal.any`, when it was aborted. On Node 24 such a signal is told only if it
 *   has a listener itself; otherwise it asks when it is looked at, which is to read `aborted` of this one.
 *
 * What it gave the signal to before, and has since ended, may still be listening (a `fetch` is until it is collected),
 * and counts. The signal is made when it is first looked at: most attempts never do.
 */
export class WatchedSignal {
  #controller: AbortController | undefined;
  #abort: { readonly reason: Error } | undefined;
  #hasSeenAbort = false;

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abort !== undefined) this.#abortNow(this.#controller, this.#abort.reason);
      this.#watch(this.#controller.signal);
    }
    return this.#controller.signal;
  }

  /** Only the first one counts. */
  abort(reason: Error): void {
    if (this.#abort !== undefined) return;
    this.#abort = { reason };
    if (this.#controller === undefined) return;
    // Before the event: a listener with `once` is removed by it.
    if (isListenedTo(this.#controller.signal)) this.#hasSeenAbort = true;
    this.#abortNow(this.#controller, reason);
  }

  get isAborted(): boolean {
    return this.#abort !== undefined;
  }

  /** Why it was aborted; undefined while it is not. */
  get reason(): Error | undefined {
    return this.#abort?.reason;
  }

  get hasSeenAbort(): boolean {
    return this.#hasSeenAbort;
  }

  /** From then on nothing changes the state that Node keeps, and whoever reads it has seen the abort. */
  #abortNow(controller: AbortController, reason: Error): void {
    controller.abort(reason);
    const { signal } = controller;
    const state = internalSymbol(signal, STATE);
    if (state === undefined || Reflect.get(signal, state) !== true) return;
    Object.defineProperty(signal, state, { get: () => (this.#hasSeenAbort = true), configurable: true });
  }

  /** Properties of its own, on a signal that stays what it is: `fetch` and `AbortSignal.any` check for a real one. */
  #watch(signal: AbortSignal): void {
    const isAborted = (): boolean => {
      if (this.#abort !== undefined) this.#hasSeenAbort = true;
      return this.#abort !== undefined;
    };
    Object.defineProperties(signal, {
      aborted: { get: isAborted, configurable: true },
      throwIfAborted: {
        value: () => {
          if (isAborted()) throw signal.reason;
        },
        configurable: true,
      },
      reason: { get: () => (isAborted() ? this.#abort?.reason : undefined), configurable: true },
    });
  }
}

/** On Node 26 `AbortSignal.any` reads what is kept under a symbol with this description, and no property that is public. */
const STATE = 'kAborted';
/** Node keeps the signals that `AbortSignal.any` has made of one under a symbol with this description, as weak references. */
const DEPENDENTS = 'kDependantSignals';

function isListenedTo(signal: AbortSignal): boolean {
  if (getEventListeners(signal, 'abort').length > 0) return true;
  const symbol = internalSymbol(signal, DEPENDENTS);
  if (symbol === undefined) return false;
  try {
    const dependents = Reflect.get(signal, symbol) as Iterable<WeakRef<AbortSignal>>;
    // What is collected had no references, and no listeners.
    return [...dependents].some((dependent) => dependent.deref() !== undefined);
  } catch {
    return true; // kept in another form: that there is something is all that is known
  }
}

function internalSymbol(signal: AbortSignal, name: string): symbol | undefined {
  return Object.getOwnPropertySymbols(signal).find(({ description }) => description === name);
}
