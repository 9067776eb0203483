import { defined } from '../base/defined.ts';
import type { ClaimCount, ClaimState } from '../claims/claim-admin.ts';
import type { MonitorPorts } from './default-ports.ts';
import { unlessStopped } from './stop-before.ts';

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
export type Counts = ReadonlyMap<CountedState, Counted>;

/** What needs a person most comes first: the time may not be enough for all. */
export const STATES: readonly CountedState[] = ['overdue', 'parked', 'in-progress'];

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
export type CountedState = Extract<ClaimState, 'overdue' | 'parked' | 'in-progress'>;

/** The claims of one state, as far as they were counted. */
export interface Counted extends Pick<ClaimCount, 'count' | 'oldestLeaseUntil' | 'rowsRead' | 'readUnits'> {
  /** Absent where nothing was read. */
  readonly readBy?: ClaimCount['readBy'];
  /** The index that the table lacks, where it was scanned for that reason. */
  readonly missingIndex?: string;
  /** Whether there are no more. */
  readonly isWhole: boolean;
}

/** Counts page by page until there are no more, or it is time to stop. */
export async function countState(
  state: CountedState,
  ports: MonitorPorts,
  stop: AbortSignal,
): Promise<Counted> {
  let counted: Counted = { count: 0, rowsRead: 0, isWhole: false };
  let cursor: string | undefined;
  do {
    const query = { state, ...defined({ cursor }) };
    const page = await unlessStopped((signal) => ports.admin.count(query, { signal }), ports.clock, stop);
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
