import type { Clock } from './clock.ts';

/** Time reserved for writing the results, and for Lambda itself. */
const MARGIN_MS = 2_000;

/** Returns a signal that aborts before the invocation ends, if its end is known. `cancel` stops the timer. */
export function stopBefore(
  context: { readonly getRemainingTimeInMillis?: (() => number) | undefined } | undefined,
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
