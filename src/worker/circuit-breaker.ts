import type { Clock } from '../base/clock.ts';
import { Gate } from './gate.ts';

/** The dependencies that a call of the handler showed to be down or up. */
export interface CallReport {
  readonly down: ReadonlySet<string>;
  /** Returns whether the call showed that this dependency is up. */
  readonly isUp: (name: string) => boolean;
}

export interface WatchedCall {
  end(report: CallReport): void;
}

export interface CircuitBreakerSetup {
  readonly clock: Clock;
  /** Returns a number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** Returns the names that are known to be still down, without a message. Never rejects. */
  readonly check: (names: readonly string[]) => Promise<readonly string[]>;
  readonly onChange: (name: string, isDown: boolean) => void;
  /** Called when one call, or any, may start again. */
  readonly onMayStart: () => void;
}

/** Failed calls in a row that open the breaker. Fewer may not be an outage; each costs a receive. */
const MOST_FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A shorter pause would use up the messages' receives. */
const SHORTEST_PAUSE_MS = 100;
/** How long a probe may take before another call may start. */
const LONGEST_PROBE_MS = 30_000;

/**
 * A circuit breaker. Receives and starts nothing while the claim store or another dependency is down: each
 * message would fail and lose a receive. After a pause (exponential, full jitter) one call starts as a
 * probe. If it succeeds, all go on ("Circuit Breaker", M. Nygard, Release It!, 2007; "Exponential Backoff
 * And Jitter", AWS Architecture Blog, 2015).
 *
 * | mode | begins | starts |
 * |---|---|---|
 * | closed | a probe showed that all are up | everything |
 * | open | 5 calls in a row, or a probe, failed for the same dependency | nothing |
 * | half-open | the pause is over, and no check fails | one call |
 */
export class CircuitBreaker {
  readonly #setup: CircuitBreakerSetup;
  readonly #failures = new Map<string, number>();
  readonly #down = new Set<string>();
  #mode: 'closed' | 'open' | 'half-open' = 'closed';
  /** Pauses since it was closed. */
  #pauses = 0;
  /** The current round. A call counts only in the round in which it began. */
  #round = 0;
  #probe: WatchedCall | undefined;
  readonly #released = new Gate();
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(setup: CircuitBreakerSetup) {
    this.#setup = setup;
  }

  get down(): readonly string[] {
    return [...this.#down];
  }

  /** Returns the limit of the next receive, or a promise that resolves when receiving may go on. */
  mayReceive(): number | Promise<void> {
    if (this.#mode === 'closed' || this.#isStopped) return Infinity;
    return this.mayStart() ? 1 : this.#released.opened();
  }

  /** Whether the next call is a probe. */
  get isHalfOpen(): boolean {
    return this.#mode === 'half-open';
  }

  mayStart(): boolean {
    return this.#mode === 'closed' || (this.#mode === 'half-open' && this.#probe === undefined);
  }

  begin(): WatchedCall {
    const round = this.#round;
    const call: WatchedCall = {
      end: (report) => {
        if (call === this.#probe) this.#endProbe(report);
        else if (this.#mode === 'closed' && round === this.#round) this.#note(report);
      },
    };
    if (this.#mode === 'half-open') {
      this.#probe = call;
      this.#cancel = this.#setup.clock.setTimer(() => this.#tryAgain(), LONGEST_PROBE_MS);
    }
    return call;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
    this.#released.open();
  }

  #note({ down, isUp }: CallReport): void {
    for (const name of this.#failures.keys()) {
      if (!down.has(name) && isUp(name)) this.#failures.delete(name);
    }
    for (const name of down) {
      this.#failures.set(name, (this.#failures.get(name) ?? 0) + 1);
    }
    const failing = [...down].filter((name) => (this.#failures.get(name) ?? 0) >= MOST_FAILURES);
    if (failing.length > 0) this.#open(failing);
  }

  #endProbe({ down, isUp }: CallReport): void {
    this.#cancel?.();
    this.#probe = undefined;
    if (down.size > 0) {
      this.#open([...down]);
      return;
    }
    const up = [...this.#down].filter(isUp);
    for (const name of up) this.#down.delete(name);
    if (this.#down.size === 0) {
      this.#mode = 'closed';
      this.#pauses = 0;
      this.#round += 1;
      this.#failures.clear();
    }
    for (const name of up) this.#setup.onChange(name, false);
    this.#tryAgain();
  }

  /** Lets another probe start, because the last one gave no answer. */
  #tryAgain(): void {
    this.#probe = undefined;
    this.#setup.onMayStart();
    this.#released.open();
  }

  #open(names: readonly string[]): void {
    const fresh = names.filter((name) => !this.#down.has(name));
    for (const name of fresh) this.#down.add(name);
    this.#pause();
    for (const name of fresh) this.#setup.onChange(name, true);
  }

  #pause(): void {
    const { clock, random } = this.#setup;
    this.#mode = 'open';
    this.#pauses += 1;
    this.#cancel?.();
    if (this.#isStopped) return;
    const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#pauses - 1));
    this.#cancel = clock.setTimer(
      () => void this.#halfOpen(),
      Math.max(random() * longestMs, SHORTEST_PAUSE_MS),
    );
  }

  async #halfOpen(): Promise<void> {
    const stillDown = await this.#setup.check(this.down);
    if (this.#isStopped) return;
    if (stillDown.length > 0) {
      this.#pause();
      return;
    }
    this.#mode = 'half-open';
    this.#tryAgain();
  }
}
