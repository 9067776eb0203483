import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Claim } from 'batchlatch';
import type { Trouble } from './demo-store.ts';

export interface KillSetup {
  /** The id of the invocation that charges an order, as long as it runs. */
  readonly requestOf: (orderId: string) => string | undefined;
  /** Ends the process of an invocation. */
  readonly kill: (requestId: string) => void;
  readonly readClaims: () => Promise<readonly Claim[]>;
  /** Between two readings of the claims, in milliseconds. Default 10. */
  readonly checkEveryMs?: number;
  /** Called right before the kill. */
  readonly onKill: (orderId: string, when: string) => void;
}

/** Kills the processes of invocations, at a moment that says something about one order alone. */
export function processKiller(setup: KillSetup): Trouble {
  const { requestOf, kill, readClaims, checkEveryMs = 10, onKill } = setup;
  const hasOthers = async (requestId: string): Promise<boolean> => {
    const claims = await readClaims();
    return claims.filter((claim) => isHeldBy(claim, requestId)).length > 1;
  };
  return {
    async untilOthersAreSettled(orderId, gone) {
      const requestId = requestOf(orderId);
      if (requestId === undefined) return;
      while (!gone.aborted && (await hasOthers(requestId))) await delay(checkEveryMs);
    },
    async kill(orderId, when, gone) {
      const requestId = requestOf(orderId);
      if (requestId === undefined || gone.aborted) return false;
      onKill(orderId, when);
      const isGone = once(gone, 'abort');
      kill(requestId);
      await isGone;
      return true;
    },
    areTogether(orderId, other) {
      const requestId = requestOf(orderId);
      return requestId !== undefined && requestOf(other) === requestId;
    },
  };
}

function isHeldBy({ status, lockedBy }: Claim, requestId: string): boolean {
  return status === 'IN_PROGRESS' && lockedBy?.endsWith(requestId) === true;
}
