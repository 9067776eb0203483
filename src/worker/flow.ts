import type { Clock } from '../base/clock.ts';
import { AdaptiveLimit, looksOverloaded } from './adaptive-limit.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { type CallResult, reportOf, says, stillDown } from './dependencies.ts';
import type { FlowOptions } from './options.ts';
import { Gate } from './gate.ts';
import type { HeldMessage, HandlerBatch } from './held-message.ts';
import type { SchedulerSetup } from './scheduler-setup.ts';
import { Scheduler } from './scheduler.ts';
import { MOST_IN_REQUEST } from './sqs-queue.ts';
import { RateLimits } from './rate-limits.ts';
import type { CallSize } from './ready-batches.ts';

export interface FlowSetup {
  readonly clock: Clock;
  readonly isFifo: boolean;
  /** The size of a call; undefined: one message, or those of one FIFO group. */
  readonly callSize: CallSize | undefined;
  readonly run: SchedulerSetup['run'];
  /** Makes messages visible again at this time. Returns false if they were received too often for that. */
  readonly handBack: (held: readonly HeldMessage[], at: number) => boolean;
  readonly onDown: (name: string, isDown: boolean) => void;
}

/** Messages set aside may be ten times those that run: docs/decisions/0032. */
const ASIDE_SHARE = 10;

/** Controls what is received and started: slots, groups, rates, dependencies, and a pause. */
export class Flow {
  readonly scheduler: Scheduler;
  readonly rates: RateLimits | undefined;
  /** The free permits that make a receive worth its price. */
  readonly enough: number;
  readonly #setup: FlowSetup;
  readonly #options: FlowOptions;
  readonly #breaker: CircuitBreaker;
  readonly #adaptive: AdaptiveLimit | undefined;
  readonly #resumed = new Gate();
  #isPaused = false;

  constructor(options: FlowOptions, setup: FlowSetup) {
    const { maxInFlight = 100, receivers = 4, concurrencyPerGroup = Infinity, rate = [], adaptive } = options;
    const { clock, isFifo, callSize } = setup;
    const { floor = 1, ceiling = maxInFlight, tolerance = 1.5 } = adaptive ?? {};
    const ahead = Math.min(maxInFlight, receivers * MOST_IN_REQUEST);
    this.#setup = setup;
    this.#options = options;
    this.enough = Math.min(ahead, MOST_IN_REQUEST);
    const rates = [rate].flat();
    this.rates = rates.length === 0 ? undefined : new RateLimits(rates, clock);
    this.#adaptive = adaptive && new AdaptiveLimit({ floor, ceiling, tolerance });
    this.#breaker = new CircuitBreaker({
      clock,
      random: Math.random,
      check: (names) => stillDown(options.dependencies ?? [], names, clock),
      onChange: setup.onDown,
      onMayStart: () => this.scheduler.startAll(),
    });
    this.scheduler = new Scheduler({
      limit: this.#adaptive?.limit ?? maxInFlight,
      // A probe costs each of its messages a receive.
      callSize: () => (this.#breaker.isHalfOpen ? undefined : callSize),
      perGroup: isFifo ? 1 : concurrencyPerGroup,
      ahead,
      aside: ASIDE_SHARE * maxInFlight,
      isFifo,
      clock,
      rates: this.rates,
      mayStart: () => !this.#isPaused && this.#breaker.mayStart(),
      run: setup.run,
      // A FIFO queue must not show later messages before one that waits.
      handBack: ({ held }, at) => !isFifo && setup.handBack(held, at),
    });
  }

  get down(): readonly string[] {
    return this.#breaker.down;
  }

  /** Returns the limit of the next receive, or a promise that resolves when receiving may go on. */
  mayReceive(): number | Promise<void> {
    if (this.#isPaused) return this.#resumed.opened();
    const allowed = this.scheduler.suspects.mayReceive();
    const tried = typeof allowed === 'number' ? this.#breaker.mayReceive() : allowed;
    return typeof tried === 'number' && typeof allowed === 'number' ? Math.min(tried, allowed) : tried;
  }

  /** Begins a call of the handler. Returns the function that takes its result. */
  begin(messages: number): (result: CallResult) => void {
    const { clock } = this.#setup;
    const watched = this.#breaker.begin();
    const timed = this.#adaptive?.begin();
    const startedAt = clock.now();
    return (result) => {
      const { dependencies = [], adaptive } = this.#options;
      const report = reportOf(dependencies, result);
      watched.end(report);
      if (this.#adaptive === undefined || timed === undefined) return;
      const isOverload =
        report.down.size > 0 ||
        result.errors.some((error) => says(adaptive?.isOverload ?? looksOverloaded, error));
      if (!isOverload && result.failed.size > 0) return; // the duration of a failure says nothing
      const ms = Math.max(clock.now() - startedAt, 0) / messages;
      this.#adaptive.end(timed, { ms, isOverload, running: this.scheduler.running });
      if (this.scheduler.limit !== this.#adaptive.limit) this.scheduler.limit = this.#adaptive.limit;
    };
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#resumed.open();
    this.scheduler.startAll();
  }

  /** Starts nothing more, and returns unstarted batches. Called again when nothing runs, the rest. */
  stop(): HandlerBatch[] {
    this.#resumed.open();
    this.#breaker.stop();
    this.scheduler.permits.wakeAll();
    return this.scheduler.close();
  }
}
