import type { Clock } from '../claims/clock.ts';

export interface CircuitBreakerSetup {
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** It has begun to hold receives back, or has ceased to. */
  readonly onChange: (isOpen: boolean) => void;
}

/** So many calls in a row that failed for the same dependency. */
const MOST_FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Holds receives back while the claim store is down: each message that is received meanwhile would come back, one receive nearer to
 * the dead-letter queue. After a pause one message is received; if its claim can be asked for, all go on ("Circuit Breaker",
 * M. Nygard, Release It!, 2007).
 */
export class CircuitBreaker {
  readonly #setup: CircuitBreakerSetup;
  #failures = 0;
  #pauses = 0;
  #isProbing = false;
  #reopened: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  #cancel: (() => void) | undefined;

  constructor(setup: CircuitBreakerSetup) {
    this.#setup = setup;
  }

  get isOpen(): boolean {
    return this.#pauses > 0;
  }

  /** How many may be received now; a promise: none, until it resolves. */
  mayReceive(): number | Promise<void> {
    if (this.#pauses === 0) return Infinity;
    if (this.#reopened !== undefined) return this.#reopened.promise;
    if (this.#isProbing) return this.#hold();
    this.#isProbing = true;
    return 1;
  }

  /** The one message that was to be received was not there. */
  noteEmpty(): void {
    if (!this.#isProbing) return;
    this.#isProbing = false;
    this.#release();
  }

  noteSuccess(): void {
    this.#failures = 0;
    if (this.#pauses === 0) return;
    this.#pauses = 0;
    this.#isProbing = false;
    this.#release();
    this.#setup.onChange(false);
  }

  noteFailure(): void {
    this.#failures += 1;
    const mayOpen = this.#pauses === 0 ? this.#failures >= MOST_FAILURES : this.#isProbing;
    if (!mayOpen) return; // of a call that began before
    this.#isProbing = false;
    this.#pauses += 1;
    void this.#hold();
    const { clock, random, onChange } = this.#setup;
    const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#pauses - 1));
    this.#cancel = clock.setTimer(() => this.#release(), longestMs / 2 + (random() * longestMs) / 2);
    if (this.#pauses === 1) onChange(true);
  }

  /** Holds nothing back any longer. */
  stop(): void {
    this.#cancel?.();
    this.#release();
  }

  #hold(): Promise<void> {
    if (this.#reopened === undefined) {
      let resolve = (): void => undefined;
      const promise = new Promise<void>((released) => (resolve = released));
      this.#reopened = { promise, resolve };
    }
    return this.#reopened.promise;
  }

  #release(): void {
    this.#reopened?.resolve();
    this.#reopened = undefined;
  }
}
