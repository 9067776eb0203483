import { boundedCall } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import { MONITOR_CALL_MS } from '../base/limits.ts';
import type { ClaimAdmin } from '../claims/claim-admin.ts';
import { unansweredByStore } from '../claims/store-errors.ts';

/** The source of claims for one run of the monitor, and its stop signal. */
export interface Reading {
  readonly admin: ClaimAdmin;
  readonly clock: Clock;
  readonly stop: AbortSignal;
}

/** Returns the store's answer; undefined if it was stopped. Rejects if the store fails or does not answer. */
export async function unlessStopped<Answer>(
  { clock, stop }: Reading,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | undefined> {
  if (stop.aborted) return undefined;
  const limitMs = MONITOR_CALL_MS;
  const errorOf = (why: 'silent' | 'given-up'): Error => unansweredByStore(why, limitMs);
  try {
    return await boundedCall(call, { clock, limitMs, signal: stop, errorOf });
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  }
}
