import { type Claim, keyHash, stateOf } from 'batchlatch/operations';
import type { LogLine } from './log-line.ts';

/** A stretch of an attempt. `held`: from the claim to the end, where no log line tells its parts apart. */
export interface Span {
  readonly what: 'earlier' | 'claim' | 'wait' | 'run' | 'settle' | 'held';
  /** In epoch milliseconds. */
  readonly from: number;
  /** In epoch milliseconds. */
  readonly until: number;
}

/** An attempt with its spans, in order. */
export interface WaterfallRow {
  readonly keyHash: string;
  readonly recordId: string;
  readonly attempt: number;
  /** Whether it is the attempt that was asked for. */
  readonly isAsked: boolean;
  readonly spans: readonly Span[];
}

/** The latest attempt of a claim beside the other attempts of its batch. */
export interface Waterfall {
  /** The request or batch; absent if no line of a log tells it. */
  readonly requestId?: string;
  /** The duration of the whole batch, once it is over. */
  readonly batchMs?: number;
  readonly rows: readonly WaterfallRow[];
}

/** Returns the request of the latest attempt of a claim, by its log lines. */
export function requestOf({ key, attempt }: Claim, lines: readonly LogLine[]): string | undefined {
  const hash = keyHash(key);
  const line = lines.findLast((one) =>
    [one, ...one.ends].some((about) => about.keyHash === hash && about.attempt === attempt),
  );
  return line?.requestId || undefined;
}

/**
 * Returns the waterfall of the latest attempt of a claim from the log lines of its request. Without such
 * lines it has one row, from the claim alone.
 */
export function waterfallOf(claim: Claim, lines: readonly LogLine[], now: number): Waterfall {
  const requestId = requestOf(claim, lines);
  const own = lines.filter((line) => line.requestId === requestId);
  const finished = requestId === undefined ? undefined : own.find(isFinished);
  const batch = { endedAt: finished?.at, durationMs: finished?.durationMs };
  const asked = keyHash(claim.key);
  const attempts = new Map<string, Attempt>();
  const attemptOf = (about: LogLine['ends'][number]): Attempt => {
    const id = `${about.keyHash} ${about.attempt}`;
    const attempt = attempts.get(id) ?? { about, lines: [] };
    attempts.set(id, attempt);
    return attempt;
  };
  for (const line of requestId === undefined ? [] : own) {
    if (line.keyHash !== '' && line.attempt > 0) attemptOf(line).lines.push(line);
    for (const end of line.ends) attemptOf(end).lines.push(line);
  }
  const askedId = `${asked} ${claim.attempt}`;
  const rows = [...attempts].map(([id, attempt]): WaterfallRow => ({
    ...attempt.about,
    isAsked: id === askedId,
    spans: spansOf(attempt.lines, id === askedId ? claim : undefined, batch, now),
  }));
  if (!attempts.has(askedId)) {
    const { recordId = '', attempt } = claim;
    rows.push({ keyHash: asked, recordId, attempt, isAsked: true, spans: spansOf([], claim, batch, now) });
  }
  return {
    ...(requestId !== undefined && { requestId }),
    ...(batch.durationMs !== undefined && { batchMs: batch.durationMs }),
    rows: rows
      .filter(({ spans }) => spans.length > 0)
      .toSorted((one, other) => startOf(one) - startOf(other)),
  };
}

interface Attempt {
  readonly about: LogLine['ends'][number];
  readonly lines: LogLine[];
}

interface Batch {
  readonly endedAt: number | undefined;
  readonly durationMs: number | undefined;
}

const ENDS: ReadonlySet<string> = new Set(['succeeded', 'failed', 'abandoned']);

function spansOf(lines: readonly LogLine[], claim: Claim | undefined, batch: Batch, now: number): Span[] {
  const line = (...names: readonly string[]): LogLine | undefined =>
    lines.find(({ message }) => names.includes(message));
  const claimed = line('claimed');
  const ended = lines.find(({ message }) => ENDS.has(message));
  const settling = line('settling');
  const startedAt =
    line('started')?.at ?? (ended?.durationMs === undefined ? undefined : ended.at - ended.durationMs);
  const claimedAt = claimed?.at ?? claim?.claimedAt ?? claim?.createdAt ?? beginOf(batch);
  const settledAt = claim === undefined ? settling?.at : (endOf(claim, now) ?? settling?.at);
  const spans: Span[] = [];
  const add = (what: Span['what'], from: number | undefined, until: number | undefined): void => {
    // Two machines or a cached clock may differ by some milliseconds.
    if (from !== undefined && until !== undefined) spans.push({ what, from, until: Math.max(from, until) });
  };
  if (claim !== undefined && claim.attempt > 1) add('earlier', claim.createdAt, claim.claimedAt);
  if (claimed?.durationMs !== undefined) add('claim', claimed.at - claimed.durationMs, claimed.at);
  if (startedAt === undefined) {
    add('held', claimedAt, settledAt ?? (claim === undefined ? undefined : now));
    return spans;
  }
  const endedAt = ended?.at ?? settling?.at;
  add('wait', claimedAt, startedAt);
  add('run', startedAt, endedAt ?? now);
  add('settle', endedAt, settledAt);
  return spans;
}

function beginOf({ endedAt, durationMs }: Batch): number | undefined {
  return endedAt === undefined || durationMs === undefined ? undefined : endedAt - durationMs;
}

/** Returns when the claim was settled; undefined while a handler holds it. */
function endOf(claim: Claim, now: number): number | undefined {
  const state = stateOf(claim, now);
  if (state === 'in-progress' || state === 'overdue') return undefined;
  return claim.completedAt ?? claim.updatedAt;
}

function isFinished({ message }: LogLine): boolean {
  return message === 'batchFinished';
}

function startOf({ spans }: WaterfallRow): number {
  return spans.find(({ what }) => what !== 'earlier')?.from ?? 0;
}
