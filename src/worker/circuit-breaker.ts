import type { Clock } from '../base/clock.ts';
import { Gate } from './gate.ts';

/** What a call of the handler says of what it depends on. */
export interface CallReport {
  readonly down: ReadonlySet<string>;
  /** Whether it shows that this is up. */
  readonly isUp: (name: string) => boolean;
}

export interface WatchedCall {
  end(report: CallReport): void;
}

export interface CircuitBreakerSetup {
  readonly clock: Clock;
  /** A number from 0 up to, not including, 1. */
  readonly random: () => number;
  /** Names of those that are known to be still down, asked without a message. Never rejects. */
  readonly check: (names: readonly string[]) => Promise<readonly string[]>;
  readonly onChange: (name: string, isDown: boolean) => void;
  /** A call may start again: one, or all. */
  readonly onMayStart: () => void;
}

/** So many calls in a row that failed for the same dependency: fewer are no outage, and each costs a receive. */
const MOST_FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A pause of nearly nothing would use up the messages' receives. */
const SHORTEST_PAUSE_MS = 100;
/** After that a call that was to show whether all is well again is not waited for any longer. */
const LONGEST_PROBE_MS = 30_000;

/**
 * Starts and receives nothing while the claim store or another dependency is down: each message that starts meanwhile would come
 * back, one receive nearer to the dead-letter queue. After a pause (exponential, full jitter) one call starts; if it is well, all
 * go on ("Circuit Breaker", M. Nygard, Release It!, 2007; "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
 *
 * | mode | begins | what starts | ends |
 * |---|---|---|---|
 * | closed | | everything | 5 calls in a row named the same dependency |
 * | open | | nothing | the pause is over, and no check says that it is still down |
 * | half-open | | one call | the call named a dependency: open; it showed that all are up: closed |
 */
export class CircuitBreaker {
  readonly #setup: CircuitBreakerSetup;
  readonly #failures = new Map<string, number>();
  readonly #down = new Set<string>();
  #mode: 'closed' | 'open' | 'half-open' = 'closed';
  /** Pauses since it was closed. */
  #pauses = 0;
  /** Calls count in the round in which they began. */
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

  /** How many may be received now; a promise: none, until it resolves. */
  mayReceive(): number | Promise<void> {
    if (this.#mode === 'closed' || this.#isStopped) return Infinity;
    return this.mayStart() ? 1 : this.#released.opened();
  }

  /** The next call shows whether all is well again. */
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

  /** Lets the next call start: nothing is known of how the last ended. */
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
