import { builtIn } from '../base/built-in.ts';

const { getEventListeners } = builtIn('node:events');

/**
 * The signal of one attempt. It knows whether the handler has seen the abort: a handler that has, and then
 * returns, may have stopped half-way. A handler has seen it if it
 *
 * - read `aborted` as true, read `reason` or called `throwIfAborted()` after the abort, itself or through
 *   code that it gave the signal to;
 * - had a listener, or a signal made by `AbortSignal.any`, at the time of the abort. On Node 24 such a signal
 *   is notified only if it has a listener; otherwise it reads `aborted` of this signal when it is read
 *   itself.
 *
 * Code that was given the signal and has ended since may still be listening (a `fetch` is, until it is
 * collected), and counts. The signal is created when it is first read: most attempts never do.
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

  /** Aborts the signal. Only the first reason counts. */
  abort(reason: Error): void {
    if (this.#abort !== undefined) return;
    this.#abort = { reason };
    if (this.#controller === undefined) return;
    // Before the event, because it removes listeners with `once`.
    if (isListenedTo(this.#controller.signal)) this.#hasSeenAbort = true;
    this.#abortNow(this.#controller, reason);
  }

  get isAborted(): boolean {
    return this.#abort !== undefined;
  }

  /** Why it was aborted; undefined if it was not. */
  get reason(): Error | undefined {
    return this.#abort?.reason;
  }

  get hasSeenAbort(): boolean {
    return this.#hasSeenAbort;
  }

  /** Aborts the controller, and then notes reads of Node's internal state as well: it no longer changes. */
  #abortNow(controller: AbortController, reason: Error): void {
    controller.abort(reason);
    const { signal } = controller;
    const state = internalSymbol(signal, STATE);
    if (state === undefined || Reflect.get(signal, state) !== true) return;
    Object.defineProperty(signal, state, { get: () => (this.#hasSeenAbort = true), configurable: true });
  }

  /** Overrides properties on the real signal, because `fetch` and `AbortSignal.any` reject anything else. */
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

/** The description of the symbol that `AbortSignal.any` reads on Node 26 in place of public properties. */
const STATE = 'kAborted';
/** The description of the symbol under which Node keeps the dependents of a signal, as weak references. */
const DEPENDENTS = 'kDependantSignals';

function isListenedTo(signal: AbortSignal): boolean {
  if (getEventListeners(signal, 'abort').length > 0) return true;
  const symbol = internalSymbol(signal, DEPENDENTS);
  if (symbol === undefined) return false;
  try {
    const dependents = Reflect.get(signal, symbol) as Iterable<WeakRef<AbortSignal>>;
    // Collected signals had no references and no listeners.
    return [...dependents].some((dependent) => dependent.deref() !== undefined);
  } catch {
    return true; // another format: all we know is that there are dependents
  }
}

function internalSymbol(signal: AbortSignal, name: string): symbol | undefined {
  return Object.getOwnPropertySymbols(signal).find(({ description }) => description === name);
}
