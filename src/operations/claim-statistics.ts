import { defined } from '../base/defined.ts';
import type { Claim } from '../claims/claim.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type ClaimAdmin, type ClaimReading, type ClaimState, stateOf } from '../claims/claim-admin.ts';
import { aFunction, anInteger, aString, checkOptionsOf, objectWith } from '../options/check-options.ts';
import { ClaimTally, type Distribution, type StatisticsPeriod } from './claim-tally.ts';
import { aSignal, type Cost, type ReadOptions, withCost } from './list-claims.ts';

/** Options of `claimStatistics`. */
export interface StatisticsOptions extends ReadOptions {
  /** The most claims that are read. Default 100,000. */
  readonly limit?: number;
  /** Only keys that begin with this. Default: all. */
  readonly keyPrefix?: string;
  /** How long each of `periods` is, in milliseconds from 1,000 up, such as 3,600,000 for hours. Default: no `periods`. */
  readonly periodMs?: number;
  /** `next` of statistics before, to go on from there: these are of the rest. Default: from the beginning. */
  readonly cursor?: string;
  /**
   * Told after each page how much was read so far.
   *
   * @param progress What was read so far.
   */
  readonly onProgress?: (progress: { readonly claims: number; readonly rowsRead: number }) => void;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** What the claims of a table tell by themselves. */
export interface ClaimStatistics extends Pick<
  ClaimReading,
  'rowsRead' | 'readUnits' | 'unreadable' | 'newer'
> {
  /** How many claims are in each state. */
  readonly counts: Readonly<Record<ClaimState, number>>;
  /** The overdue claim whose lease ended first; absent where there is none. */
  readonly oldestOverdue?: Claim;
  /** Of completed claims, milliseconds from the first claim of the key to that of the attempt that completed it. */
  readonly waitingMs?: Distribution;
  /** Of completed claims, milliseconds from there to the completion. Without those that a person resolved. */
  readonly runningMs?: Distribution;
  /** How many times keys were claimed. */
  readonly attempts?: Distribution;
  /** The same over time, by when claims ended: the latest 1,000 in which any did, oldest first. Only with `periodMs`. */
  readonly periods?: readonly StatisticsPeriod[];
  /** Whether every row was seen. Otherwise all of this is of those that were. */
  readonly isWhole: boolean;
  /** Where to go on; absent when every row was seen. */
  readonly next?: string;
}

/**
 * Reads the claims of a table, up to `limit`, and says how they stand, how long they waited and ran, and how often they were
 * tried. It is a scan: it costs a read unit for each 4 KB of the table. Rows live for their retention, so that the times
 * are those of the last days.
 *
 * Throws a `ConfigurationError` for options that cannot work, and a `StoreError` when the store fails.
 *
 * @param admin Of the store whose claims are counted.
 * @param options Of which period, and how much may be read.
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
