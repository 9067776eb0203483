import type { Attempt } from '../attempts/attempt.ts';
import { extendLeases } from '../attempts/lease.ts';
import type { AttemptScope } from '../attempts/scope.ts';
import type { Semaphore } from '../base/semaphore.ts';
import type { RouteSlots } from '../batch/record-route.ts';

/**
 * The slots of one route for the attempts of one batch; batches of the process share the semaphore. Where
 * leases are short, those of waiting attempts are renewed: another owner would take a lapsed claim for a
 * crash.
 */
export class SharedSlots implements RouteSlots {
  readonly #slots: Semaphore;
  readonly #scope: AttemptScope;
  readonly #onError: (thrown: unknown) => void;
  readonly #waiting = new Set<Attempt>();
  /** Attempts that have waited and got a slot, but have not started. */
  readonly #granted = new Set<Attempt>();
  #cancelTimer: (() => void) | undefined;

  constructor(slots: Semaphore, scope: AttemptScope, onError: (thrown: unknown) => void) {
    this.#slots = slots;
    this.#scope = scope;
    this.#onError = onError;
  }

  take(attempt: Attempt, onTurn: () => void): boolean {
    if (this.#granted.delete(attempt) || this.#slots.take()) return true;
    this.#waiting.add(attempt);
    if (this.#cancelTimer === undefined) this.#renewLater();
    this.#slots
      .turn()
      .then(() => {
        // A cancelled wait passes its slot on.
        if (!this.#waiting.delete(attempt)) return this.#slots.release();
        this.#granted.add(attempt);
        this.#stopRenewing();
        onTurn();
      })
      .catch(this.#onError);
    return false;
  }

  cancel(attempt: Attempt): void {
    if (this.#granted.delete(attempt)) this.#slots.release();
    this.#waiting.delete(attempt);
    this.#stopRenewing();
  }

  release(): void {
    this.#slots.release();
  }

  #renewLater(): void {
    const { clock, renewal, leaseMs } = this.#scope.time;
    if (renewal === undefined) return;
    this.#cancelTimer = clock.setTimer(() => void this.#renew(), leaseMs() / 3);
  }

  /** Whether a claim is lost shows when its attempt starts. */
  async #renew(): Promise<void> {
    this.#cancelTimer = undefined;
    const attempts = [...this.#waiting].filter(({ isOpen }) => isOpen);
    await extendLeases(attempts, this.#scope.time.leaseMs(), this.#scope);
    if (this.#waiting.size > 0) this.#renewLater();
  }

  #stopRenewing(): void {
    if (this.#waiting.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
