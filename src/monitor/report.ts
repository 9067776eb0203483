import { defined } from '../base/defined.ts';
import type { ClaimCount } from '../claims/claim-admin.ts';
import type { Claim } from '../claims/claim.ts';
import { type ParkedKind, parkedKindOf } from '../operations/parked-kind.ts';
import { readClaims } from './claim-lines.ts';
import { type Reading, unlessStopped } from './unless-stopped.ts';

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
  /** The parked claims by why they are parked. The outcome of those in `lapsed` is unknown. */
  readonly parkedKinds: Readonly<Record<ParkedKind, number>>;
  /** Claims whose lease is live. */
  readonly inProgress: number;
  /** How long the oldest claim has been overdue, in milliseconds; 0 if none is. */
  readonly oldestOverdueMs: number;
}

/** The counts, as far as the store answered in time. */
type Counts = ReadonlyMap<CountedState, Counted>;

/** The parked claims that were read to tell their kinds. */
interface ParkedClaims {
  readonly claims: readonly Claim[];
  readonly isWhole: boolean;
}

/** The reading of one run of the monitor. */
interface Found {
  readonly counted: Counts;
  readonly parked: ParkedClaims;
}

export function reportOf(table: string, { counted, parked }: Found, now: number): ClaimMonitorReport {
  const oldest = counted.get('overdue')?.oldestLeaseUntil;
  return {
    table,
    ...defined({ readBy: readingOf(counted) }),
    isWhole: parked.isWhole && STATES.every((state) => counted.get(state)?.isWhole === true),
    overdue: counted.get('overdue')?.count ?? 0,
    parked: counted.get('parked')?.count ?? 0,
    parkedKinds: kindsOf(parked.claims),
    inProgress: counted.get('in-progress')?.count ?? 0,
    oldestOverdueMs: oldest === undefined ? 0 : Math.max(now - oldest, 0),
  };
}

function kindsOf(claims: readonly Claim[]): Record<ParkedKind, number> {
  const kinds = { lapsed: 0, failed: 0, attempts: 0, done: 0 };
  for (const claim of claims) {
    const kind = parkedKindOf(claim);
    if (kind !== undefined) kinds[kind] += 1;
  }
  return kinds;
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

/** The most parked claims that are read to tell their kinds, for a read unit each. */
const MOST_PARKED = 10_000;

/** The error of the store. `isOfParked`: all states are counted, and only the parked claims were not read. */
interface ReadFailure {
  readonly error: unknown;
  readonly isOfParked: boolean;
}

/** Counts the most urgent states first: time may not be enough for all. Then reads the parked claims. */
export async function countAll(reading: Reading): Promise<Found & { readonly failure?: ReadFailure }> {
  const counted = new Map<CountedState, Counted>();
  try {
    for (const state of STATES) counted.set(state, await countState(state, reading));
    const { count, isWhole } = counted.get('parked') as Counted;
    if (count === 0) return { counted, parked: { claims: [], isWhole } };
    return { counted, parked: await readClaims('parked', reading, MOST_PARKED) };
  } catch (error) {
    const failure = { error, isOfParked: counted.size === STATES.length };
    return { counted, parked: { claims: [], isWhole: false }, failure };
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
  { counted, parked: { isWhole: areKindsWhole } }: Found,
  { at, requestId }: { readonly at: number; readonly requestId?: string | undefined },
): string {
  const { table, isWhole, readBy, overdue, parked, parkedKinds, inProgress, oldestOverdueMs } = report;
  const isWholeOf = (state: CountedState): boolean => counted.get(state)?.isWhole === true;
  const all = [
    { name: 'OverdueClaims', unit: 'Count', value: overdue, isSure: isWholeOf('overdue') },
    { name: 'ParkedClaims', unit: 'Count', value: parked, isSure: isWholeOf('parked') },
    ...PARKED_METRICS.map(([name, kind]) => ({
      name,
      unit: 'Count',
      value: parkedKinds[kind],
      isSure: areKindsWhole,
    })),
    { name: 'InProgressClaims', unit: 'Count', value: inProgress, isSure: isWholeOf('in-progress') },
    { name: 'OldestOverdueMs', unit: 'Milliseconds', value: oldestOverdueMs, isSure: isWholeOf('overdue') },
  ];
  const known = all.filter(({ isSure, value }) => value > 0 || isSure);
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

const PARKED_METRICS = [
  ['ParkedLapsedClaims', 'lapsed'],
  ['ParkedFailedClaims', 'failed'],
  ['ParkedAttemptsClaims', 'attempts'],
  ['ParkedDoneClaims', 'done'],
] as const satisfies readonly (readonly [name: string, kind: ParkedKind])[];

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
