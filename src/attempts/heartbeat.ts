import type { Attempt } from './attempt.ts';
import { extendLeases } from './lease.ts';
import type { AttemptScope } from './scope.ts';

/** The shortest interval, so that a failed renewal is not repeated at once. */
export const SHORTEST_BEAT_MS = 100;

export interface Heartbeat {
  /** Resolves when no renewal is pending: none may arrive after a later change of the same message. */
  stop(): Promise<void>;
}

/**
 * Renews the leases of running handlers in one request, every third of a lease, and calls `onBeat` each time.
 * A handler whose claim is another owner's is stopped. A failed renewal is retried when half of the remaining
 * lease is over.
 */
export function startHeartbeat(
  running: Iterable<Attempt>,
  scope: AttemptScope,
  onBeat?: () => Promise<unknown> | undefined,
): Heartbeat {
  const { clock, renewal, leaseMs } = scope.time;
  let isStopped = false;
  let cancel: (() => void) | undefined;
  let beating: Promise<void> = Promise.resolve();

  function schedule(): void {
    const intervalMs = renewal?.intervalMs ?? Math.floor(leaseMs() / 3);
    cancel = clock.setTimer(
      () => {
        beating = beat().then(() => {
          if (!isStopped) schedule();
        });
      },
      Math.min(intervalMs, Math.max((firstLeaseEnd(running) - clock.now()) / 2, SHORTEST_BEAT_MS)),
    );
  }

  async function beat(): Promise<void> {
    await Promise.all([renewLeases([...running], scope), onBeat?.()]);
  }

  schedule();
  return {
    stop() {
      isStopped = true;
      cancel?.();
      return beating;
    },
  };
}

/** Returns when the first lease ends that can still be renewed: not those of stopped handlers. */
function firstLeaseEnd(running: Iterable<Attempt>): number {
  let first = Infinity;
  for (const attempt of running) {
    if (attempt.isOpen && !attempt.isStopped) first = Math.min(first, attempt.leaseUntil);
  }
  return first;
}

async function renewLeases(running: readonly Attempt[], scope: AttemptScope): Promise<void> {
  const attempts = running.filter((attempt) => attempt.isOpen);
  if (attempts.length === 0) return;
  const outcomes = await extendLeases(attempts, scope.time.leaseMs(), scope);
  // An attempt that has settled meanwhile also gets `lost`; it ignores the stop.
  for (const [index, attempt] of attempts.entries()) if (outcomes[index] === 'lost') attempt.stopForLease();
}
