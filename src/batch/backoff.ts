import type { Entry } from './entry.ts';
import { retryLaterMs } from './errors.ts';
import type { VisibilityOptions } from './options.ts';

/**
 * In how many milliseconds a record that is handed back should come again. Failures: exponential back-off by
 * receive count with full jitter ("Exponential Backoff And Jitter", AWS Architecture Blog, 2015), or what the
 * handler asked for. What a live lease stands in the way of waits for its end, so that waiting does not use up
 * receives; what was never started comes again at once.
 */
export function redeliveryDelayMs(
  { outcome, record, heldClaim }: Pick<Entry, 'outcome' | 'record' | 'heldClaim'>,
  { baseDelayMs, maxDelayMs }: Required<VisibilityOptions>,
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
