import type { Context } from 'aws-lambda';
import type { Clock } from '../base/clock.ts';
import { Stop } from '../base/stop.ts';

/** The end of the invocation: first `stop`, then `answerNow`. */
export interface Deadline {
  /** When Lambda ends the process, in epoch milliseconds; `Infinity` if unknown. */
  readonly endsAt: number;
  remainingTimeMs(): number;
  /** When `stop` is aborted, in epoch milliseconds; `Infinity` if unknown. A host may shorten it. */
  readonly stopsAt: number;
  /** Aborted when it is time to stop: nothing starts any more, and running handlers are told to stop. */
  readonly stop: Stop;
  /** Aborted when the answer has to leave: whatever the store has not confirmed counts as failed. */
  readonly answerNow: Stop;
  /** How long a handler that was told to stop may take to end, in milliseconds. */
  readonly graceMs: number;
  /** Cancels the timers. Called when the answer is given. */
  cancel(): void;
}

/** The share of the margin for handlers to end; the rest is for storing their ends. */
const GRACE_SHARE = 0.5;
/** The share of the margin after which the answer no longer waits for the store. */
const ANSWER_SHARE = 0.9;
/** The grace outside Lambda, for a handler that exceeded `recordTimeoutMs`. */
const DEFAULT_GRACE_MS = 500;

export function createDeadline(
  lambda: Pick<Context, 'getRemainingTimeInMillis'> | undefined,
  deadlineMarginMs: number,
  clock: Clock,
): Deadline {
  const stop = new Stop();
  const answerNow = new Stop();
  const availableMs = availableTimeMs(lambda);
  if (availableMs === undefined) {
    return {
      endsAt: Infinity,
      stopsAt: Infinity,
      remainingTimeMs: () => Infinity,
      stop,
      answerNow,
      graceMs: DEFAULT_GRACE_MS,
      cancel: () => undefined,
    };
  }
  // A function with a timeout of one second would otherwise stop before it started.
  const marginMs = Math.min(deadlineMarginMs, availableMs / 2);
  const endsAt = clock.now() + availableMs;
  if (availableMs === 0) stop.abort(); // a timer would fire after the first claims
  const cancels = [
    clock.setTimer(() => stop.abort(), availableMs - marginMs),
    clock.setTimer(() => answerNow.abort(), availableMs - marginMs * (1 - ANSWER_SHARE)),
  ];
  return {
    endsAt,
    stopsAt: endsAt - marginMs,
    remainingTimeMs: () => endsAt - clock.now(),
    stop,
    answerNow,
    graceMs: marginMs * GRACE_SHARE,
    cancel: () => cancels.forEach((cancel) => cancel()),
  };
}

/** Undefined if unknown. May be 0 or less: on Lambda Managed Instances, code runs on past the timeout. */
function availableTimeMs(lambda: Pick<Context, 'getRemainingTimeInMillis'> | undefined): number | undefined {
  if (typeof lambda?.getRemainingTimeInMillis !== 'function') return undefined;
  const remainingMs = lambda.getRemainingTimeInMillis();
  // rule: remaining-time
  return Number.isFinite(remainingMs) ? Math.max(remainingMs, 0) : undefined;
}
