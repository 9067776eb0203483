/** A token bucket (RFC 2697, with one rate): holds `most` tokens and fills evenly within `perMs`. */
export class TokenBucket {
  readonly #most: number;
  readonly #perMs: number;
  #tokens: number;
  #filledAt: number;

  constructor({ most, perMs }: { readonly most: number; readonly perMs: number }, now: number) {
    this.#most = most;
    this.#perMs = perMs;
    this.#tokens = most;
    this.#filledAt = now;
  }

  /** Returns the milliseconds until `count` may start. A full bucket starts more than `most`, as a debt. */
  waitMs(count: number, now: number): number {
    this.#fill(now);
    const missing = Math.min(count, this.#most) - this.#tokens;
    return missing <= 0 ? 0 : Math.ceil((missing * this.#perMs) / this.#most);
  }

  take(count: number, now: number): void {
    this.#fill(now);
    this.#tokens -= count;
  }

  #fill(now: number): void {
    const passedMs = Math.max(now - this.#filledAt, 0); // never negative, even if the clock is set back
    this.#tokens = Math.min(this.#most, this.#tokens + (passedMs * this.#most) / this.#perMs);
    this.#filledAt = now;
  }
}
