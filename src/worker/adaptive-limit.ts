/** How many handlers run at a time, as the worker finds out. */
export interface Adaptive {
  /** It never goes below this. Default 1. */
  readonly floor?: number;
  /** It never goes above this. Default: `maxInFlight`. */
  readonly ceiling?: number;
  /** How long a message may take, as a multiple of what it takes while few run, before there are fewer. Default 1.5. */
  readonly tolerance?: number;
  /**
   * Whether this error of a handler says that there are too many at a time. Default: answers of throttling (429, 503, and AWS's codes)
   * and time-outs; what says that the claim store or one of `dependencies` is down counts always.
   *
   * @param error What the handler failed with.
   */
  readonly isOverload?: (error: unknown) => boolean;
}

type AdaptiveLimitSetup = Required<Omit<Adaptive, 'isOverload'>>;

/** With fewer than ten calls at a time nothing can be told from their mean. */
const FIRST_LIMIT = 10;
/** Calls whose mean is taken: the mean of 50 differs by a seventh of itself where their times differ as much as they last. */
const FEWEST_CALLS = 50;
/** And so many times as many as run at a time: of those that began together the short ones end first. */
const ROUNDS = 3;
const DECREASE = 0.9;
/** After so many decisions a window runs with half as many calls, to learn anew what a call takes while few run. */
const CALM_EVERY = 30;
/** How much a calm window counts in what a call is taken to last, if it was slower; one that was faster tells what is possible. */
const SHARE_OF_CALM = 0.5;

/**
 * How many calls may run at a time: one more for each window of calls while they are as fast as ever and the limit is used, a tenth
 * fewer when one is refused or a window is slower (additive increase, multiplicative decrease: D. Chiu and R. Jain, 1989; RFC 5681
 * for TCP; `AIMDLimit` and `Gradient2Limit` of Netflix's concurrency-limits). Doubled in each window until the first decrease, as in
 * TCP's slow start. What a call takes while few run is learned at the start, at the floor, and in a calm window now and then, as BBR
 * probes for its shortest round trip: learned all the time it would follow the queue that it is to prevent.
 *
 * Calls that began before the last change tell nothing of it, and are left out.
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
      this.#set(this.#limit); // fewer came than might have: that is no reason for more
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

  /** A window ends, and another begins. */
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
  /** Calls that ran when this one ended, with it. */
  readonly running: number;
}

const CODES =
  /throttl|TooManyRequests|SlowDown|RequestLimitExceeded|ProvisionedThroughputExceeded|ServiceUnavailable|Timeout|ETIMEDOUT/i;
const STATUSES: ReadonlySet<unknown> = new Set([429, 503]);

/** Whether an error says that a service has too much to do: by its name or code, or by the HTTP status of its answer. */
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
