import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Claim } from 'batchlatch';
import type { RunningInvocation } from '../emulators/sandbox-pool.ts';
import type { Trouble } from './demo-store.ts';

export interface KillSetup {
  /** The invocation whose process charges an order, as long as it runs. */
  readonly running: (orderId: string) => RunningInvocation | undefined;
  readonly readClaims: () => Promise<readonly Claim[]>;
  /** Between two readings of the claims, in milliseconds. Default 10. */
  readonly checkEveryMs?: number;
  /** Called right before the kill. */
  readonly onKill: (orderId: string, when: string) => void;
}

/** Kills the processes of invocations, at a moment that says something about one order alone. */
export function sandboxKiller({ running, readClaims, checkEveryMs = 10, onKill }: KillSetup): Trouble {
  const hasOthers = async (requestId: string): Promise<boolean> => {
    const claims = await readClaims();
    return claims.filter((claim) => isHeldBy(claim, requestId)).length > 1;
  };
  return {
    async untilOthersAreSettled(orderId, gone) {
      const invocation = running(orderId);
      if (invocation === undefined) return;
      while (!gone.aborted && (await hasOthers(invocation.requestId))) await delay(checkEveryMs);
    },
    async kill(orderId, when, gone) {
      const invocation = running(orderId);
      if (invocation === undefined || gone.aborted) return;
      onKill(orderId, when);
      const isGone = once(gone, 'abort');
      invocation.sandbox.kill();
      await isGone;
    },
    areTogether(orderId, other) {
      const invocation = running(orderId);
      return invocation !== undefined && running(other) === invocation;
    },
  };
}

function isHeldBy({ status, lockedBy }: Claim, requestId: string): boolean {
  return status === 'IN_PROGRESS' && lockedBy?.endsWith(requestId) === true;
}
