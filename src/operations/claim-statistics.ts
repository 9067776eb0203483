import { defined } from '../base/defined.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type ClaimAdmin, stateOf } from '../claims/claim-admin.ts';
import { aFunction, anInteger, aString, checkOptionsOf, objectWith } from '../options/check-options.ts';
import { type ClaimStatistics, ClaimTally } from './claim-tally.ts';
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
