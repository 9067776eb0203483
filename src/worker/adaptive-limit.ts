/** Limits of the concurrency that the worker adapts. */
export interface Adaptive {
  /** The lowest concurrency. Default 1. */
  readonly floor?: number;
  /** The highest concurrency. Default: `maxInFlight`. */
  readonly ceiling?: number;
  /** The latency that reduces concurrency, as a multiple of the latency with few handlers. Default 1.5. */
  readonly tolerance?: number;
  /**
   * Returns whether this error of a handler means too much concurrency. Default: throttling (429, 503, and
   * AWS's codes) and timeouts. Errors of a claim store or dependency that is down always count.
   *
   * @param error The error.
   */
  readonly isOverload?: (error: unknown) => boolean;
}

type AdaptiveLimitSetup = Required<Omit<Adaptive, 'isOverload'>>;

/** With fewer than ten concurrent calls their mean says nothing. */
const FIRST_LIMIT = 10;
/** Calls in a window: the mean of 50 varies by a seventh if latencies vary as much as their mean. */
const FEWEST_CALLS = 50;
/** At least three times the limit: short calls finish first and would bias the mean. */
const ROUNDS = 3;
const DECREASE = 0.9;
/** How many decisions pass between two windows of half the concurrency, which measure the latency anew. */
const CALM_EVERY = 30;
/** The weight of a calm window that was slower than before. A faster one replaces the value. */
const SHARE_OF_CALM = 0.5;

/**
 * An adaptive limit of concurrent calls: additive increase and multiplicative decrease (D. Chiu and R.
 * Jain, 1989; RFC 5681 for TCP; `AIMDLimit` and `Gradient2Limit` of Netflix's concurrency-limits). It grows
 * by one for each window whose calls are fast and use the limit, and shrinks by a tenth for a refusal or a
 * slow window. Until the first decrease it doubles in each window, as in TCP's slow start.
 *
 * The base latency is measured at the start, at the floor, and in an occasional calm window, as BBR probes
 * for its shortest round trip. Measured all the time, it would follow the congestion that it must prevent.
 * Calls that began before the last change do not count.
 */
export class AdaptiveLimit {
  readonly #setup: AdaptiveLimitSetup;
  #limit: number;
  /** The limit before a calm window. */
  #before: number | undefined;
  #isStarting = true;
  #round = 0;
  #decisions = 0;
  #calls = 0;
  #totalMs = 0;
  #wasUsed = false;
  #calmMs: number | undefined;

  constructor(setup: AdaptiveLimitSetup) {
    this.#setup = setup;
    this.#limit = Math.max(setup.floor, Math.min(FIRST_LIMIT, setup.ceiling));
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Returns the round of the call that begins now. */
  begin(): number {
    return this.#round;
  }

  end(round: number, { ms, isOverload, running }: CallTiming): void {
    if (round !== this.#round) return;
    if (isOverload) {
      this.#decrease();
      return;
    }
    this.#calls += 1;
    this.#totalMs += ms;
    this.#wasUsed ||= running >= this.limit;
    if (this.#calls >= Math.max(FEWEST_CALLS, ROUNDS * this.limit)) this.#decide(this.#totalMs / this.#calls);
  }

  #decide(meanMs: number): void {
    const { floor, tolerance } = this.#setup;
    const wasUsed = this.#wasUsed;
    this.#decisions += 1;
    if (this.#before !== undefined || this.#calmMs === undefined || this.limit === floor) {
      this.#learn(meanMs);
      this.#set(this.#before ?? (wasUsed ? this.#limit + 1 : this.#limit));
    } else if (meanMs > this.#calmMs * tolerance) {
      this.#decrease();
    } else if (this.#decisions % CALM_EVERY === 0) {
      const before = this.#limit;
      this.#set(before / 2);
      this.#before = before;
    } else if (wasUsed) {
      this.#set(this.#isStarting ? this.#limit * 2 : this.#limit + 1);
    } else {
      this.#set(this.#limit); // the limit was not used, so it need not grow
    }
  }

  #learn(meanMs: number): void {
    const calmMs = this.#calmMs ?? meanMs;
    this.#calmMs = Math.min(meanMs, calmMs + (meanMs - calmMs) * SHARE_OF_CALM);
  }

  #decrease(): void {
    this.#isStarting = false;
    this.#set(Math.min((this.#before ?? this.#limit) * DECREASE, this.limit - 1));
  }

  /** Ends a window and begins the next. */
  #set(limit: number): void {
    const { floor, ceiling } = this.#setup;
    const last = this.limit;
    this.#limit = Math.max(floor, Math.min(limit, ceiling));
    if (this.limit !== last) this.#round += 1;
    this.#before = undefined;
    this.#calls = 0;
    this.#totalMs = 0;
    this.#wasUsed = false;
  }
}

interface CallTiming {
  readonly ms: number;
  readonly isOverload: boolean;
  /** Calls that ran when this one ended, including it. */
  readonly running: number;
}

const CODES =
  /throttl|TooManyRequests|SlowDown|RequestLimitExceeded|ProvisionedThroughputExceeded|ServiceUnavailable|Timeout|ETIMEDOUT/i;
const STATUSES: ReadonlySet<unknown> = new Set([429, 503]);

/** Returns whether an error means that a service is overloaded: by its name, code or HTTP status. */
export function looksOverloaded(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { name, code, status, statusCode, $metadata, $retryable } = error as Readonly<
    Record<string, unknown>
  >;
  if ([name, code].some((text) => typeof text === 'string' && CODES.test(text))) return true;
  const { httpStatusCode } = ($metadata ?? {}) as { readonly httpStatusCode?: unknown };
  if ([status, statusCode, httpStatusCode].some((one) => STATUSES.has(one))) return true;
  return ($retryable as { readonly throttling?: unknown } | undefined)?.throttling === true;
}
