import { defined } from '../base/defined.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type ClaimAdmin, stateOf } from '../claims/claim-admin.ts';
import { aFunction, anInteger, aString, checkOptionsOf, objectWith } from '../options/check-options.ts';
import { type ClaimStatistics, ClaimTally } from './claim-tally.ts';
import { aSignal, type Cost, type ReadOptions, withCost } from './list-claims.ts';

/** Options of `claimStatistics`. */
export interface StatisticsOptions extends ReadOptions {
  /** The maximum number of claims to read. Default 100,000. */
  readonly limit?: number;
  /** Counts only keys with this prefix. Default: all. */
  readonly keyPrefix?: string;
  /** The length of each of `periods` in milliseconds, from 1,000. Default: no `periods`. */
  readonly periodMs?: number;
  /** `next` of an earlier call, to count the claims after it. Default: from the beginning. */
  readonly cursor?: string;
  /**
   * Called after each page.
   *
   * @param progress The number of claims and rows read so far.
   */
  readonly onProgress?: (progress: { readonly claims: number; readonly rowsRead: number }) => void;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Reads up to `limit` claims and returns their states, their waiting and running times, and their attempts.
 * The call scans the table: it costs a read unit for each 4 KB. Rows are deleted after their retention, so
 * the times cover the last few days.
 *
 * Throws a `ConfigurationError` for invalid options, and a `StoreError` when the store fails.
 *
 * @param admin The admin of the store whose claims are counted.
 * @param options Which claims to count, and how many to read.
 */
export async function claimStatistics(
  admin: ClaimAdmin,
  options: StatisticsOptions = {},
): Promise<ClaimStatistics> {
  checkOptionsOf('claimStatistics', options, {
    limit: anInteger(1),
    keyPrefix: aString(),
    periodMs: anInteger(1_000),
    cursor: aString(),
    onProgress: aFunction(),
    clock: objectWith('now', 'setTimer'),
    signal: aSignal(),
  });
  const { limit = 100_000, keyPrefix = '', periodMs, onProgress, clock = systemClock, signal } = options;
  const seen = new ClaimTally(periodMs);
  let claims = 0;
  let cost: Cost = { readBy: 'scan', rowsRead: 0 };
  let next = options.cursor;
  do {
    const page = await admin.list(
      defined({ keyPrefix, limit: Math.min(limit - claims, 1_000), cursor: next }),
      signal && { signal },
    );
    const now = clock.now();
    for (const claim of page.claims) seen.add(claim, stateOf(claim, now));
    claims += page.claims.length;
    cost = withCost(cost, page);
    next = page.next;
    onProgress?.({ claims, rowsRead: cost.rowsRead });
  } while (next !== undefined && claims < limit);
  const isWhole = next === undefined && options.cursor === undefined;
  const { readBy: _, ...read } = cost;
  return { ...seen.result(), isWhole, ...defined({ next }), ...read };
}
