import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Claim } from 'batchlatch';
import type { RunningInvocation } from '../emulators/sandbox-pool.ts';

export interface KillSetup {
  /** The invocation whose process is to die, as long as it runs. */
  readonly running: () => RunningInvocation | undefined;
  readonly readClaims: () => Promise<readonly Claim[]>;
  /** Called right before the kill. */
  readonly onKill: () => void;
}

const CHECK_EVERY_MS = 10;

/**
 * Kills the process of an invocation once all of its claims but one are settled: what is charged and not yet
 * settled when a process dies is charged again, and only a transaction helps. `caller` is aborted when the
 * process is gone. Does nothing when the invocation ends before that.
 */
export async function killWhenOthersAreSettled(
  { running, readClaims, onKill }: KillSetup,
  caller: AbortSignal,
): Promise<void> {
  const invocation = running();
  if (invocation === undefined) return;
  const { requestId, sandbox } = invocation;
  const hasOthers = async (): Promise<boolean> => {
    const claims = await readClaims();
    return claims.filter((claim) => isHeldBy(claim, requestId)).length > 1;
  };
  while (await hasOthers()) await delay(CHECK_EVERY_MS);
  if (running() !== invocation || caller.aborted) return;
  onKill();
  const isGone = once(caller, 'abort');
  sandbox.kill();
  await isGone;
}

function isHeldBy({ status, lockedBy }: Claim, requestId: string): boolean {
  return status === 'IN_PROGRESS' && lockedBy?.endsWith(requestId) === true;
}
