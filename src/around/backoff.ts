import type { BatchContext, VisibilityPolicy } from '../batch/context.ts';
import { isAcknowledged } from '../batch/outcomes.ts';
import type { PlannedRecord } from '../batch/plan.ts';
import { retryLaterMs } from '../attempts/errors.ts';
import { anInteger, checkOptionsOf } from '../options/check-options.ts';
import { showAgain } from './queue.ts';

/** Options of `backoff()`. */
export interface BackoffOptions {
  /** The upper bound of the first delay, in milliseconds; it doubles with every receive. Default 1,000. */
  readonly baseDelayMs?: number;
  /** The largest upper bound, in milliseconds. Default 900,000 (15 minutes). */
  readonly maxDelayMs?: number;
}

/**
 * Returns the policy for `visibility` that delays the redelivery of SQS messages. After a failure the delay
 * is random, from 0 to a bound that doubles with every receive ("Exponential Backoff And Jitter", AWS
 * Architecture Blog, 2015), or as long as a `RetryLaterError` says. A message whose key another owner holds
 * waits for the rest of that lease, so that waiting uses up no receives. A message that was not started in
 * time comes again at once. Needs `sqs`.
 *
 * @param options The bounds of the delay.
 * @throws `ConfigurationError` for invalid options.
 *
 * @example
 * createBatchProcessor(handler, { sqs: new SQS(), visibility: backoff({ maxDelayMs: 60_000 }) });
 */
export function backoff(options: BackoffOptions = {}): VisibilityPolicy {
  checkOptionsOf('backoff', options, { baseDelayMs: anInteger(1), maxDelayMs: anInteger(1) });
  const { baseDelayMs = 1_000, maxDelayMs = 900_000 } = options;
  return {
    option: 'visibility',
    async delay(context, kept) {
      const { ledger, time } = context;
      const laneDelays = new Map<string | undefined, number>();
      const delays: { record: PlannedRecord; delayMs: number }[] = [];
      for (const record of ledger.records) {
        const { lane, itemIdentifier = '' } = record;
        if (isAcknowledged(ledger.outcomeOf(record)) || kept.has(itemIdentifier)) continue;
        // Messages behind a failure of their group become visible together with it, to keep the order.
        const delayMs =
          laneDelays.get(lane) ?? redeliveryDelayMs(record, { baseDelayMs, maxDelayMs }, context);
        if (lane !== undefined) laneDelays.set(lane, delayMs);
        delays.push({ record, delayMs });
      }
      await showAgain(delays, context, time.deadline.answerNow.signal);
    },
  };
}

/** Returns the delay before a record is delivered again. */
export function redeliveryDelayMs(
  planned: PlannedRecord,
  { baseDelayMs, maxDelayMs }: Required<BackoffOptions>,
  { ledger, random, time }: Pick<BatchContext, 'ledger' | 'random' | 'time'>,
): number {
  const outcome = ledger.outcomeOf(planned);
  // The claim of a duplicate in the batch is that of the record that ran for it.
  const attempt = ledger.attemptOf(planned) ?? (planned.leader && ledger.attemptOf(planned.leader));
  const heldUntil = attempt?.isOpen === true ? attempt.leaseUntil : undefined;
  const leaseUntil = outcome?.status === 'conflict' ? outcome.leaseUntil : heldUntil;
  if (leaseUntil !== undefined) return Math.max(leaseUntil - time.clock.now(), 0) + random() * baseDelayMs;
  if (outcome?.status === 'not-started' && outcome.reason === 'deadline') return 0;
  const asked = outcome?.status === 'failed' ? retryLaterMs(outcome.error) : undefined;
  if (asked !== undefined) return asked;
  return random() * longestDelayMs(planned.record?.receiveCount ?? 1, { baseDelayMs, maxDelayMs });
}

/** Returns the upper bound of the delay after a failure on delivery number `receives`. */
export function longestDelayMs(
  receives: number,
  { baseDelayMs, maxDelayMs }: Required<BackoffOptions>,
): number {
  return Math.min(maxDelayMs, baseDelayMs * 2 ** (receives - 1));
}
