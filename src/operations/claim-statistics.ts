import type { Claim } from '../claims/claim.ts';
import type { ClaimStore } from '../claims/claim-store.ts';
import { type Clock, systemClock } from '../claims/clock.ts';
import { type ClaimState, stateOf } from '../claims/operable-store.ts';
import { aFunction, anInteger, aString, objectWith } from '../options/check-options.ts';
import { checkOptionsOf } from '../options/check-options-of.ts';
import type { ReadOptions } from './list-claims.ts';
import { operableOf } from './operable-of.ts';

/** Options of `claimStatistics`. */
export interface StatisticsOptions extends ReadOptions {
  /** The most claims that are read. Default 100,000. */
  readonly limit?: number;
  /** Only keys that begin with this. Default: all. */
  readonly keyPrefix?: string;
  /** `next` of statistics before, to go on from there: these are of the rest. */
  readonly cursor?: string;
  /** Told after each page how much was read so far. */
  readonly onProgress?: (progress: { readonly claims: number; readonly rowsRead: number }) => void;
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** How values lie, by nearest rank. */
export interface Distribution {
  /** Of how many claims. */
  readonly count: number;
  /** The least. */
  readonly min: number;
  /** Half of them are at most this. */
  readonly median: number;
  /** 95 of 100 are at most this. */
  readonly p95: number;
  /** The most. */
  readonly max: number;
}

/** What the claims of a table tell by themselves. */
export interface ClaimStatistics {
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
  /** Whether every row was seen. Otherwise all of this is of those that were. */
  readonly isWhole: boolean;
  /** Where to go on; absent when every row was seen. */
  readonly next?: string;
  /** How many rows were read. */
  readonly rowsRead: number;
  /** What the database charges for it, in its own read units, where it says. */
  readonly readUnits?: number;
  /** How many rows are no claims; absent where there are none. */
  readonly unreadable?: number;
}

/**
 * Reads the claims of a table, up to `limit`, and says how they stand, how long they waited and ran, and how often they were
 * tried. It is a scan: it costs a read unit for each 4 KB of the table. Rows live for their retention, so that the times
 * are those of the last days.
 *
 * Throws a `ConfigurationError` for options that cannot work and for a store that cannot list, and a `StoreError` when the
 * store fails.
 */
export async function claimStatistics(
  store: ClaimStore,
  options: StatisticsOptions = {},
): Promise<ClaimStatistics> {
  checkOptionsOf('claimStatistics', options, {
    limit: anInteger(1),
    keyPrefix: aString(),
    cursor: aString(),
    onProgress: aFunction(),
    clock: objectWith('now', 'setTimer'),
    signal: { expected: 'an AbortSignal', accepts: (value) => typeof value === 'object' && value !== null },
  });
  const { limit = 100_000, keyPrefix = '', onProgress, clock = systemClock, signal } = options;
  const operable = operableOf(store, clock);
  const seen = new Tally();
  let claims = 0;
  let rowsRead = 0;
  let readUnits: number | undefined;
  let unreadable = 0;
  let next = options.cursor;
  do {
    const page = await operable.list(
      { keyPrefix, limit: Math.min(limit - claims, 1_000), ...(next !== undefined && { cursor: next }) },
      signal && { signal },
    );
    const now = clock.now();
    for (const claim of page.claims) seen.add(claim, stateOf(claim, now));
    claims += page.claims.length;
    rowsRead += page.rowsRead;
    unreadable += page.unreadable ?? 0;
    if (page.readUnits !== undefined) readUnits = (readUnits ?? 0) + page.readUnits;
    next = page.next;
    onProgress?.({ claims, rowsRead });
  } while (next !== undefined && claims < limit);
  return {
    ...seen.result(),
    isWhole: next === undefined && options.cursor === undefined,
    ...(next !== undefined && { next }),
    rowsRead,
    ...(readUnits !== undefined && { readUnits }),
    ...(unreadable > 0 && { unreadable }),
  };
}

class Tally {
  readonly #counts = { 'in-progress': 0, overdue: 0, failed: 0, parked: 0, completed: 0 };
  readonly #waiting: number[] = [];
  readonly #running: number[] = [];
  readonly #attempts: number[] = [];
  #oldest: Claim | undefined;

  add(claim: Claim, state: ClaimState): void {
    this.#counts[state] += 1;
    this.#attempts.push(claim.attempt);
    if (state === 'overdue' && claim.leaseUntil < (this.#oldest?.leaseUntil ?? Infinity))
      this.#oldest = claim;
    if (state === 'completed') this.#addTimes(claim);
  }

  #addTimes({ createdAt, claimedAt = createdAt, completedAt, history }: Claim): void {
    // Rows of Powertools do not tell when they were made.
    if (createdAt === 0 || completedAt === undefined) return;
    this.#waiting.push(Math.max(claimedAt - createdAt, 0));
    const isByHand = history?.some(({ operation, at }) => operation === 'resolve' && at === completedAt);
    if (isByHand !== true) this.#running.push(Math.max(completedAt - claimedAt, 0));
  }

  result(): Pick<ClaimStatistics, 'counts' | 'oldestOverdue' | 'waitingMs' | 'runningMs' | 'attempts'> {
    const waitingMs = distributionOf(this.#waiting);
    const runningMs = distributionOf(this.#running);
    const attempts = distributionOf(this.#attempts);
    return {
      counts: { ...this.#counts },
      ...(this.#oldest !== undefined && { oldestOverdue: this.#oldest }),
      ...(waitingMs !== undefined && { waitingMs }),
      ...(runningMs !== undefined && { runningMs }),
      ...(attempts !== undefined && { attempts }),
    };
  }
}

function distributionOf(values: readonly number[]): Distribution | undefined {
  const sorted = values.toSorted((one, other) => one - other);
  const rank = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  const [min] = sorted;
  if (min === undefined) return undefined;
  return { count: sorted.length, min, median: rank(0.5), p95: rank(0.95), max: rank(1) };
}
