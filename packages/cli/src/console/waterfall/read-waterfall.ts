import { type Claim, keyHash } from 'batchlatch/operations';
import { messageOf } from '../api-error.ts';
import { type LogLine, logLine } from './log-line.ts';
import { requestOf, type Waterfall, waterfallOf } from './waterfall.ts';

/** A search for lines in the log of a function or a worker. */
export interface LogSearch {
  /** What the lines contain: the hash of a key, or the id of a request. */
  readonly text: string;
  /** The function or worker; undefined if the claim does not say. */
  readonly functionName: string | undefined;
  /** In epoch milliseconds. */
  readonly from: number;
  /** In epoch milliseconds. */
  readonly until: number;
}

/** Returns the lines of a log that match, oldest first. */
export type ReadLog = (search: LogSearch, signal: AbortSignal) => Promise<readonly string[]>;

/** A waterfall with the reason why the log is missing from it. */
export interface WaterfallJson extends Waterfall {
  /** `log`: from log lines. `claim`: from the claim alone. */
  readonly source: 'log' | 'claim';
  /** Why the log could not be read. */
  readonly problem?: string;
}

/** The functions' clocks may differ from the store's. */
const MARGIN_MS = 60_000;

/** Reads the waterfall of the latest attempt of a claim. A log that cannot be read leaves the claim alone. */
export async function readWaterfall(
  claim: Claim,
  readLog: ReadLog | undefined,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<WaterfallJson> {
  if (readLog === undefined) return { ...waterfallOf(claim, [], now), source: 'claim' };
  const { lockedBy, claimedAt = claim.createdAt, updatedAt, leaseUntil } = claim;
  const functionName = lockedBy?.split(/[: ]/, 1)[0] || undefined;
  const within = {
    functionName,
    from: Math.max(claimedAt - MARGIN_MS, 0),
    until: Math.min(Math.max(updatedAt, leaseUntil) + MARGIN_MS, now + MARGIN_MS),
  };
  try {
    const own = linesOf(await readLog({ ...within, text: keyHash(claim.key) }, signal));
    const requestId = requestOf(claim, own);
    const lines =
      requestId === undefined ? own : linesOf(await readLog({ ...within, text: requestId }, signal));
    return { ...waterfallOf(claim, lines, now), source: requestId === undefined ? 'claim' : 'log' };
  } catch (error) {
    signal.throwIfAborted();
    return { ...waterfallOf(claim, [], now), source: 'claim', problem: messageOf(error) };
  }
}

function linesOf(texts: readonly string[]): readonly LogLine[] {
  return texts.map(logLine).filter((line) => line !== undefined);
}
