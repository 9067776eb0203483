import type { Entry } from '../batch/entry.ts';
import { isAcknowledged } from '../batch/outcomes.ts';
import type { Policy } from '../batch/policy.ts';
import type { BatchScope } from '../batch/scope.ts';
import { retryLaterMs } from '../attempts/errors.ts';
import { anInteger } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';
import { showAgain } from './queue.ts';

/** Options of `backoff`. */
export interface BackoffOptions {
  /** The bound of the first delay, in milliseconds; it doubles with every receive. Default 1,000. */
  readonly baseDelayMs?: number;
  /** The longest bound, in milliseconds. Default 900,000 (15 minutes). */
  readonly maxDelayMs?: number;
}

/**
 * For `visibility`: when an SQS message that is handed back comes again. Failures wait for a delay that is drawn evenly
 * from 0 to a bound, which doubles with every receive ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015), or
 * for as long as a `RetryLaterError` says. A message whose key another owner holds waits for the rest of that lease, so
 * that waiting uses up no receives; what was not started comes again at once. Needs `sqs`.
 *
 * @param options The bounds of the delay.
 * @throws `ConfigurationError` for an option that is unknown or impossible.
 *
 * @example
 * createBatchProcessor(handler, { sqs: new SQS(), visibility: backoff({ maxDelayMs: 60_000 }) });
 */
export function backoff(options: BackoffOptions = {}): Policy<'visibility'> {
  checkOptionsOf('backoff', options, { baseDelayMs: anInteger(1), maxDelayMs: anInteger(1) });
  const { baseDelayMs = 1_000, maxDelayMs = 900_000 } = options;
  return {
    option: 'visibility',
    needsSqs: true,
    beforeResponse: (scope) => delayRedeliveries({ baseDelayMs, maxDelayMs }, scope),
  };
}

async function delayRedeliveries(bounds: Required<BackoffOptions>, scope: BatchScope): Promise<void> {
  const now = scope.clock.now();
  const laneDelays = new Map<string, number>();
  const delays: { entry: Entry; delayMs: number }[] = [];
  for (const entry of scope.entries) {
    if (isAcknowledged(entry.outcome) || entry.isKeptByHost) continue;
    // What stands behind a failure of its group becomes visible together with it: the group stays in order.
    const delayMs =
      (entry.lane === undefined ? undefined : laneDelays.get(entry.lane)) ??
      redeliveryDelayMs(entry, bounds, now, scope.random);
    if (entry.lane !== undefined) laneDelays.set(entry.lane, delayMs);
    delays.push({ entry, delayMs });
  }
  await showAgain(delays, scope, scope.deadline.answerNow.signal);
}

/** In how many milliseconds a record that is handed back should come again. */
export function redeliveryDelayMs(
  { outcome, record, heldClaim }: Pick<Entry, 'outcome' | 'record' | 'heldClaim'>,
  { baseDelayMs, maxDelayMs }: Required<BackoffOptions>,
  now: number,
  random: () => number,
): number {
  const leaseUntil = outcome?.status === 'conflict' ? outcome.leaseUntil : heldClaim?.leaseUntil;
  if (leaseUntil !== undefined) return Math.max(leaseUntil - now, 0) + random() * baseDelayMs;
  if (outcome?.status === 'not-started' && outcome.reason === 'deadline') return 0;
  const asked = outcome?.status === 'failed' ? retryLaterMs(outcome.error) : undefined;
  if (asked !== undefined) return asked;
  const receives = record?.receiveCount ?? 1;
  return random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (receives - 1));
}
