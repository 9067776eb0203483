import { defined } from '../base/defined.ts';
import type { ClaimCount } from '../claims/claim-admin.ts';
import { type Reading, unlessStopped } from './stop-before.ts';

/** The result of one run of the monitor. */
export interface ClaimMonitorReport {
  /** The dimension `table` of the metrics. */
  readonly table: string;
  /** Whether every count is complete; otherwise the counts are lower bounds. */
  readonly isWhole: boolean;
  /** `scan` if a count had to read rows of every state. Absent if nothing was read. */
  readonly readBy?: 'index' | 'scan';
  /** Claims whose lease has lapsed and that nobody has settled or taken over. */
  readonly overdue: number;
  /** Claims that wait for a person. */
  readonly parked: number;
  /** Claims whose lease is live. */
  readonly inProgress: number;
  /** How long the oldest claim has been overdue, in milliseconds; 0 if none is. */
  readonly oldestOverdueMs: number;
}

/** The counts, as far as the store answered in time. */
type Counts = ReadonlyMap<CountedState, Counted>;

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

/** The counted states: those in the index. */
const STATES = ['overdue', 'parked', 'in-progress'] as const;
type CountedState = (typeof STATES)[number];

/** The count of one state, perhaps incomplete. */
interface Counted extends Omit<ClaimCount, 'readBy' | 'next' | 'unreadable' | 'newer'> {
  readonly readBy?: ClaimCount['readBy'];
  readonly isWhole: boolean;
}

/** Counts the most urgent states first: time may not be enough for all. */
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
 * Returns a line in CloudWatch's embedded metric format. A count of 0 is written too, so that "no data" means
 * that the monitor does not run. An incomplete count of 0 may be wrong, and is left out of the metrics.
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
    // Without metrics, this is an ordinary log line.
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
