import type { Attempt } from '../attempts/attempt.ts';
import { SHORTEST_BEAT_MS } from '../attempts/heartbeat.ts';
import { extendLeases } from '../attempts/lease.ts';
import type { AttemptScope } from '../attempts/scope.ts';
import type { Semaphore } from '../base/semaphore.ts';
import type { RouteSlots } from '../batch/record-route.ts';

/**
 * Returns the slots of one route for the attempts of one batch; batches of the process share the semaphore.
 * Where leases are short, those of waiting attempts are renewed: another owner would take a lapsed claim for
 * a crash.
 */
export function routeSlots(
  slots: Semaphore,
  scope: AttemptScope,
  onError: (thrown: unknown) => void,
): RouteSlots {
  const { clock, deadline, leaseMs, renewal } = scope.time;
  const { stop } = deadline;
  const holding = new Set<Attempt>();
  /** The attempts that wait, with what continues each. */
  const waiting = new Map<Attempt, () => void>();
  let cancelTimer: (() => void) | undefined;
  /** The first end of a lease when the timer was set. */
  let firstEnd = 0;

  /** Sets the timer. An attempt that waited for a slot of its batch before may have a short lease. */
  function renewLater(): void {
    cancelTimer?.();
    if (renewal === undefined || waiting.size === 0) return;
    firstEnd = Math.min(...[...waiting.keys()].map(({ leaseUntil }) => leaseUntil));
    const soonestMs = Math.max((firstEnd - clock.now()) / 2, SHORTEST_BEAT_MS);
    cancelTimer = clock.setTimer(() => void renew(), Math.min(leaseMs() / 3, soonestMs));
  }

  /** Whether a claim is lost shows when its attempt starts. */
  async function renew(): Promise<void> {
    const attempts = [...waiting.keys()].filter(({ isOpen }) => isOpen); // not those without a claim
    await extendLeases(attempts, leaseMs(), scope);
    renewLater();
  }

  /** Ends a wait. Returns false if it has ended before. */
  function endWait(attempt: Attempt): boolean {
    const isWaiting = waiting.delete(attempt);
    if (waiting.size === 0) cancelTimer?.();
    return isWaiting;
  }

  function handBackAll(): void {
    for (const [attempt, onTurn] of waiting) {
      endWait(attempt);
      onTurn();
    }
  }

  return {
    take(attempt, onTurn) {
      if (stop.aborted || holding.has(attempt)) return true;
      if (slots.take()) {
        holding.add(attempt);
        return true;
      }
      waiting.set(attempt, onTurn);
      if (waiting.size === 1 || attempt.leaseUntil < firstEnd) renewLater();
      if (waiting.size === 1) stop.addEventListener('abort', handBackAll, { once: true });
      slots
        .turn()
        .then(() => {
          if (!endWait(attempt)) return slots.release(); // it was handed back
          holding.add(attempt);
          onTurn();
        })
        .catch(onError);
      return false;
    },
    release(attempt) {
      if (holding.delete(attempt)) slots.release();
    },
  };
}
