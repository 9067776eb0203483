import { changeVisibilities, type VisibilityChange } from '../queues/visibility.ts';
import { extendLeases, heartbeatOf, type InvocationScope, leaseMsNow } from './attempt.ts';
import type { Entry } from './entry.ts';
import { LeaseLostError } from './errors.ts';
import { noteFailures, visibilityChange } from './hand-back.ts';
import type { RunningHandlers } from './run-attempt.ts';

export interface Heartbeat {
  /** Resolves when no renewal is on its way any more: none may overtake what is said of a message afterwards. */
  stop(): Promise<void>;
}

/**
 * Renews the leases of the handlers that run, in one request, and keeps the batch's unfinished SQS messages
 * invisible for as long. A claim that turns out to be another owner's stops its handler; a renewal that failed
 * is tried again at the next beat, and the lease itself ends what could not be renewed in time.
 */
export function startHeartbeat(
  entries: readonly Entry[],
  running: RunningHandlers,
  scope: InvocationScope,
): Heartbeat {
  const { ports } = scope;
  let isStopped = false;
  let cancel: (() => void) | undefined;
  let beating: Promise<void> = Promise.resolve();

  function schedule(): void {
    const intervalMs = heartbeatOf(scope)?.intervalMs ?? Math.floor(leaseMsNow(scope) / 3);
    cancel = ports.clock.setTimer(() => {
      beating = beat().then(() => {
        if (!isStopped) schedule();
      });
    }, intervalMs);
  }

  async function beat(): Promise<void> {
    await Promise.all([renewLeases(running, scope), stayInvisible(entries, scope)]);
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

async function renewLeases(running: RunningHandlers, scope: InvocationScope): Promise<void> {
  const runs = [...running].filter(({ attempt }) => attempt.isClaimed && !attempt.isCommitted);
  if (runs.length === 0) return;
  const attempts = runs.map(({ attempt }) => attempt);
  const outcomes = await extendLeases(attempts, leaseMsNow(scope), scope);
  runs.forEach((run, index) => {
    if (!running.has(run)) return; // it has ended and settled meanwhile: then its claim is not its own any more
    if (outcomes[index] === 'lost') run.stop((cause) => new LeaseLostError({ cause }));
    else run.watchLease();
  });
}

async function stayInvisible(entries: readonly Entry[], scope: InvocationScope): Promise<void> {
  const { sqs } = scope.ports;
  if (sqs === undefined) return;
  const unfinished = entries.filter((entry) => entry.outcome === undefined);
  const leaseMs = leaseMsNow(scope);
  const renewed: Entry[] = [];
  const changes: VisibilityChange[] = [];
  for (const entry of unfinished) {
    const change = visibilityChange(entry, leaseMs, scope);
    if (change === undefined) continue;
    renewed.push(entry);
    changes.push(change);
  }
  noteFailures(renewed, await changeVisibilities(sqs, changes), scope);
}
