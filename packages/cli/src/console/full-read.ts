import { setImmediate as immediate } from 'node:timers/promises';
import { type ClaimAdmin, type ClaimState, stateOf } from 'batchlatch/operations';
import type { Clock } from '../tool-base/clock.ts';
import type { HolderJson, OverdueJson, StatisticsJson } from './api.ts';
import { ReadTally } from './read-tally.ts';

/** The result of a read of all claims. */
export interface FullRead {
  readonly at: number;
  readonly isWhole: boolean;
  readonly counts: Readonly<Record<ClaimState, number>>;
  readonly overdue: readonly OverdueJson[];
  readonly holders: readonly HolderJson[];
  readonly statistics: StatisticsJson;
}

/** The most claims of a read; each takes about 100 bytes of memory. */
const MOST_CLAIMS = 1_000_000;

/** Reads all claims, page by page, up to a million. */
export async function readAll(
  store: ClaimAdmin,
  clock: Clock,
  {
    signal,
    lastMs,
    onProgress,
  }: {
    readonly signal: AbortSignal;
    /** Passed to `EndTally.result`. */
    readonly lastMs?: number;
    readonly onProgress?: (rowsRead: number) => void;
  },
): Promise<FullRead> {
  const tally = new ReadTally();
  const at = clock.now();
  let [claims, rowsRead, newerRows] = [0, 0, 0];
  let readUnits: number | undefined;
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const page = await store.list({ limit: 1_000, ...(cursor !== undefined && { cursor }) }, { signal });
    const now = clock.now();
    for (const claim of page.claims) tally.add(claim, stateOf(claim, now));
    claims += page.claims.length;
    rowsRead += page.rowsRead;
    newerRows += page.newer?.length ?? 0;
    if (page.readUnits !== undefined) readUnits = (readUnits ?? 0) + page.readUnits;
    cursor = page.next;
    onProgress?.(rowsRead);
    await immediate(); // a memory store would block all other requests
  } while (cursor !== undefined && claims < MOST_CLAIMS);
  const isWhole = cursor === undefined;
  return {
    at,
    isWhole,
    counts: tally.counts,
    overdue: tally.overdue(),
    holders: tally.holders(),
    statistics: {
      asOf: new Date(at).toISOString(),
      isWhole,
      rowsRead,
      ...(readUnits !== undefined && { readUnits }),
      ...(newerRows > 0 && { newerRows }),
      ...tally.ends.result(clock.now(), lastMs),
      ...tally.groups(clock.now()),
    },
  };
}
