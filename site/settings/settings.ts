import { createBatchProcessor, sqs } from '../../src/core.ts';
import { backoff } from '../../src/around/backoff.ts';
import { defaultLeaseMs } from '../../src/attempts/lease.ts';
import { memoryStore } from '../../src/stores/memory/memory-store.ts';

/** The settings of a queue, its function and its claims that decide when a failing message comes again. */
export interface Settings {
  readonly timeoutSeconds: number;
  readonly visibilitySeconds: number;
  /** Undefined: the default, the remaining time of the invocation plus a second. */
  readonly leaseSeconds: number | undefined;
  /** Undefined: no redrive policy. */
  readonly maxReceiveCount: number | undefined;
  /** Undefined: no `visibility: backoff()`. */
  readonly backoff: { readonly baseDelayMs: number; readonly maxDelayMs: number } | undefined;
  readonly queueDays: number;
  readonly deadLetterDays: number;
  readonly claimDays: number;
}

/** The defaults of the library, with the queue as `docs/deploying.md` sets it up. */
export const ADVISED: Settings = {
  timeoutSeconds: 30,
  visibilitySeconds: 180,
  leaseSeconds: undefined,
  maxReceiveCount: 5,
  backoff: undefined,
  queueDays: 4,
  deadLetterDays: 14,
  claimDays: 4,
};

export const SECOND_MS = 1_000;
export const DAY_MS = 86_400_000;

export function leaseMsOf({ leaseSeconds, timeoutSeconds }: Settings): number {
  return leaseSeconds === undefined ? defaultLeaseMs(timeoutSeconds * SECOND_MS) : leaseSeconds * SECOND_MS;
}

/** Returns why `createBatchProcessor` refuses the options, in its own words; undefined if it accepts them. */
export function refusalOf({ leaseSeconds, claimDays, backoff: delays }: Settings): string | undefined {
  try {
    createBatchProcessor(async () => undefined, {
      source: sqs(),
      store: memoryStore(),
      namespace: 'orders',
      retentionMs: claimDays * DAY_MS,
      ...(leaseSeconds !== undefined && { leaseMs: leaseSeconds * SECOND_MS }),
    });
    if (delays !== undefined) backoff(delays);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
