/** A token bucket (RFC 2697's, with one rate): `most` may start at once, and it fills evenly within `perMs`. */
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

  /** In how many milliseconds so many may start; 0: now. More than it ever holds may start when it is full, and are owed. */
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
    const passedMs = Math.max(now - this.#filledAt, 0); // a clock that is set back takes no tokens away
    this.#tokens = Math.min(this.#most, this.#tokens + (passedMs * this.#most) / this.#perMs);
    this.#filledAt = now;
  }
}
