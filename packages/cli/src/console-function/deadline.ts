import type { Clock } from '../tool-base/clock.ts';

/** The part of Lambda's context that the console reads. */
export interface LambdaContext {
  getRemainingTimeInMillis(): number;
}

/** The end of the work of one invocation. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Must be called when the work has ended. */
  cancel(): void;
}

/** The time that is left for what was already sent, and for the response. */
const RESERVE_MS = 5_000;
/** The time without Lambda's context. */
const DEFAULT_MS = 50_000;

/** Returns a deadline shortly before Lambda ends the function. */
export function deadlineOf(context: LambdaContext | undefined, clock: Clock): Deadline {
  const controller = new AbortController();
  const leftMs = context?.getRemainingTimeInMillis() ?? DEFAULT_MS;
  const cancel = clock.setTimer(() => controller.abort(), Math.max(leftMs - RESERVE_MS, leftMs / 2));
  return { signal: controller.signal, cancel };
}
