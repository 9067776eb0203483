import type { Attempt } from './attempt.ts';
import { extendLeases } from './lease.ts';
import type { AttemptScope } from './scope.ts';

/** After a renewal that failed the next is not tried at once. */
const SHORTEST_BEAT_MS = 100;

export interface Heartbeat {
  /** Resolves when no renewal is on its way any more: none may arrive after a later change of the same message. */
  stop(): Promise<void>;
}

/**
 * Renews the leases of the handlers that run, in one request, every third of a lease. A claim that turns out to be
 * another owner's stops its handler; a renewal that failed is tried again when half of what is left of the lease is
 * over, and the lease itself ends what could not be renewed in time. `onBeat` is done beside every renewal.
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

/** A renewal that failed is tried again before its lease is over: not for one that was told to stop, its lease is lost. */
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
  // One that has ended and settled meanwhile has no claim of its own any more, and does not listen.
  for (const [index, attempt] of attempts.entries()) if (outcomes[index] === 'lost') attempt.stopForLease();
}
