import type { Context } from 'aws-lambda';
import type { Clock } from '../base/clock.ts';
import { Stop } from '../base/stop.ts';

/** The end of the invocation, seen from inside: first stop, then answer whatever happens. */
export interface Deadline {
  /** When Lambda ends the process, in epoch milliseconds; `Infinity` if it is unknown. */
  readonly endsAt: number;
  /** What is left until then. */
  remainingTimeMs(): number;
  /** When `stop` is aborted, in epoch milliseconds; `Infinity` if it is unknown. A host may make it earlier. */
  readonly stopsAt: number;
  /** Aborted when it is time to stop: nothing starts any more, and running handlers are told to stop. */
  readonly stop: Stop;
  /** Aborted when the answer has to leave: what the store has not confirmed by now counts as failed. */
  readonly answerNow: Stop;
  /** How long a handler that was told to stop may take to end, in milliseconds. */
  readonly graceMs: number;
  /** To be called when the answer is given; no timer outlives the invocation. */
  cancel(): void;
}

/** How much of the margin handlers get to end by themselves; the rest is for storing how they ended. */
const GRACE_SHARE = 0.5;
/** When, within the margin, the answer leaves without waiting for the store any longer. */
const ANSWER_SHARE = 0.9;
/** The grace period if no invocation ends: a handler that overran `recordTimeoutMs` outside Lambda. */
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
  // A function with a timeout of a second would otherwise stop before it started.
  const marginMs = Math.min(deadlineMarginMs, availableMs / 2);
  const endsAt = clock.now() + availableMs;
  if (availableMs === 0) stop.abort(); // a timer would come after the first claims
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

/** Undefined if it is unknown. 0 and less are times too: on Lambda Managed Instances code runs on past the timeout. */
function availableTimeMs(lambda: Pick<Context, 'getRemainingTimeInMillis'> | undefined): number | undefined {
  if (typeof lambda?.getRemainingTimeInMillis !== 'function') return undefined;
  const remainingMs = lambda.getRemainingTimeInMillis();
  // rule: remaining-time
  return Number.isFinite(remainingMs) ? Math.max(remainingMs, 0) : undefined;
}
