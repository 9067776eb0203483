import type { Attempt } from './attempt.ts';
import type { HandlerRun } from './handler-run.ts';
import { extendLeases } from './lease.ts';
import type { AttemptScope } from './scope.ts';

/** The handlers that run now, each with its attempt; undefined: it runs without a claim. */
export type Running = Map<HandlerRun, Attempt | undefined>;

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
  running: Running,
  scope: AttemptScope,
  onBeat?: () => Promise<unknown>,
): Heartbeat {
  const { clock, renewal, leaseMs } = scope;
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
      Math.min(intervalMs, Math.max(shortestLeaseMs() / 2, SHORTEST_BEAT_MS)),
    );
  }

  /** A renewal that failed is tried again before its lease is over: not for one that was told to stop, its lease is lost. */
  function shortestLeaseMs(): number {
    let shortest = Infinity;
    for (const [run, attempt] of running) {
      const isKept = attempt !== undefined && !attempt.isCommitted && !run.isStopped;
      if (isKept) shortest = Math.min(shortest, attempt.leaseUntil);
    }
    return shortest - clock.now();
  }

  async function beat(): Promise<void> {
    await Promise.all([renewLeases(running, scope), onBeat?.()]);
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

async function renewLeases(running: Running, scope: AttemptScope): Promise<void> {
  const runs: HandlerRun[] = [];
  const attempts: Attempt[] = [];
  for (const [run, attempt] of running) {
    if (attempt === undefined || attempt.isCommitted) continue;
    runs.push(run);
    attempts.push(attempt);
  }
  if (runs.length === 0) return;
  const outcomes = await extendLeases(attempts, scope.leaseMs(), scope);
  runs.forEach((run, index) => {
    // One that has ended and settled meanwhile has no claim of its own any more.
    if (outcomes[index] === 'lost') run.noteLeaseLost();
    else run.watchLease();
  });
}
