import { defined } from '../base/defined.ts';
import type { ClaimCount } from '../claims/claim-admin.ts';
import { type Reading, unlessStopped } from './stop-before.ts';

/** What one run of the monitor found. */
export interface ClaimMonitorReport {
  /** The dimension `table` of the metrics. */
  readonly table: string;
  /** Whether every count is the whole number. Otherwise each is the least that there are. */
  readonly isWhole: boolean;
  /** `scan`: rows of every state were read for at least one of the counts. Absent where nothing was read. */
  readonly readBy?: 'index' | 'scan';
  /** Claims whose lease has lapsed and that nobody has settled or taken over. */
  readonly overdue: number;
  /** Claims that wait for a person. */
  readonly parked: number;
  /** Claims whose lease is live. */
  readonly inProgress: number;
  /** For how long the oldest overdue claim has been overdue, in milliseconds; 0 where there are none. */
  readonly oldestOverdueMs: number;
}

/** What was counted before the time was over or the store failed. */
type Counts = ReadonlyMap<CountedState, Counted>;

/** The report of what was counted, at a time in epoch milliseconds. */
export function reportOf(table: string, counted: Counts, now: number): ClaimMonitorReport {
  const oldest = counted.get('overdue')?.oldestLeaseUntil;
  return {
    table,
    ...defined({ readBy: readingOf(counted) }),
    isWhole: STATES.every((state) => counted.get(state)?.isWhole === true),
    overdue: counted.get('overdue')?.count ?? 0,
    parked: counted.get('parked')?.count ?? 0,
    inProgress: counted.get('in-progress')?.count ?? 0,
    oldestOverdueMs: oldest === undefined ? 0 : Math.max(now - oldest, 0),
  };
}

function readingOf(counted: Counts): ClaimMonitorReport['readBy'] {
  const ways = [...counted.values()].map(({ readBy }) => readBy);
  return ways.includes('scan') ? 'scan' : ways.find((readBy) => readBy !== undefined);
}

/** The states that the monitor counts: those that the index holds. */
const STATES = ['overdue', 'parked', 'in-progress'] as const;
type CountedState = (typeof STATES)[number];

/** The claims of one state, as far as they were counted. */
interface Counted extends Omit<ClaimCount, 'readBy' | 'next' | 'unreadable' | 'newer'> {
  /** Absent where nothing was read. */
  readonly readBy?: ClaimCount['readBy'];
  /** Whether there are no more. */
  readonly isWhole: boolean;
}

/** Counts what needs a person most first: the time may not be enough for all. */
export async function countAll(
  reading: Reading,
): Promise<{ counted: Counts; failure?: { readonly error: unknown } }> {
  const counted = new Map<CountedState, Counted>();
  try {
    for (const state of STATES) counted.set(state, await countState(state, reading));
    return { counted };
  } catch (error) {
    return { counted, failure: { error } };
  }
}

/** Counts page by page until there are no more, or it is time to stop. */
async function countState(state: CountedState, reading: Reading): Promise<Counted> {
  let counted: Counted = { count: 0, rowsRead: 0, isWhole: false };
  let cursor: string | undefined;
  do {
    const query = { state, ...defined({ cursor }) };
    const page = await unlessStopped(reading, (signal) => reading.admin.count(query, { signal }));
    if (page === undefined) return counted;
    counted = withPage(counted, page);
    cursor = page.next;
  } while (cursor !== undefined);
  return counted;
}

function withPage(before: Counted, page: ClaimCount): Counted {
  const oldest = Math.min(before.oldestLeaseUntil ?? Infinity, page.oldestLeaseUntil ?? Infinity);
  return {
    count: before.count + page.count,
    rowsRead: before.rowsRead + page.rowsRead,
    readBy: page.readBy,
    ...defined({ missingIndex: page.missingIndex }),
    isWhole: page.next === undefined,
    ...(page.readUnits !== undefined && { readUnits: (before.readUnits ?? 0) + page.readUnits }),
    ...(oldest !== Infinity && { oldestLeaseUntil: oldest }),
  };
}

/**
 * One line of CloudWatch's embedded metric format. A count of 0 is a metric as any other, so that "no data" means that the
 * monitor does not run. But 0 of a count that is not whole is not known to be true, and is left out of the metrics.
 *
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function metricsLine(
  report: ClaimMonitorReport,
  counted: Counts,
  { at, requestId }: { readonly at: number; readonly requestId?: string | undefined },
): string {
  const { table, isWhole, readBy, overdue, parked, inProgress, oldestOverdueMs } = report;
  const all = [
    { name: 'OverdueClaims', unit: 'Count', value: overdue, of: 'overdue' },
    { name: 'ParkedClaims', unit: 'Count', value: parked, of: 'parked' },
    { name: 'InProgressClaims', unit: 'Count', value: inProgress, of: 'in-progress' },
    { name: 'OldestOverdueMs', unit: 'Milliseconds', value: oldestOverdueMs, of: 'overdue' },
  ] as const;
  const known = all.filter(({ of, value }) => value > 0 || counted.get(of)?.isWhole === true);
  const Metrics = known.map(({ name, unit }) => ({ Name: name, Unit: unit }));
  const readings = [...counted.values()];
  return JSON.stringify({
    // Without metrics it is a line like any other.
    ...(known.length > 0 && {
      _aws: {
        Timestamp: at,
        CloudWatchMetrics: [{ Namespace: 'batchlatch', Dimensions: [['table']], Metrics }],
      },
    }),
    message: 'claimsCounted',
    requestId,
    table,
    ...Object.fromEntries(known.map(({ name, value }) => [name, value])),
    isWhole,
    readBy,
    rowsRead: sum(readings.map(({ rowsRead }) => rowsRead)),
    readUnits: sum(readings.map(({ readUnits = 0 }) => readUnits)),
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
