import type { Context } from 'aws-lambda';
import { boundedCall } from '../base/bounded.ts';
import type { Clock } from '../base/clock.ts';
import { MONITOR_CALL_MS } from '../base/limits.ts';
import type { ClaimAdmin } from '../claims/claim-admin.ts';
import { unansweredByStore } from '../claims/store-errors.ts';

/** Time reserved for writing the results, and for Lambda itself. */
const MARGIN_MS = 2_000;

/** Returns a signal that aborts before the invocation ends, if its end is known. `cancel` stops the timer. */
export function stopBefore(
  context: Pick<Context, 'getRemainingTimeInMillis'> | undefined,
  clock: Clock,
): { readonly stop: AbortSignal; cancel(): void } {
  const controller = new AbortController();
  const remainingMs = context?.getRemainingTimeInMillis?.();
  if (remainingMs === undefined || !Number.isFinite(remainingMs)) {
    return { stop: controller.signal, cancel: () => undefined };
  }
  // A function with a timeout of three seconds still gets half of it.
  const availableMs = remainingMs - Math.min(MARGIN_MS, remainingMs / 2);
  if (availableMs <= 0) controller.abort();
  const cancel = clock.setTimer(() => controller.abort(), Math.max(availableMs, 0));
  return { stop: controller.signal, cancel };
}

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
