import type { ClaimCount, ClaimState } from '../claims/claim-admin.ts';
import type { MonitorPorts } from './default-ports.ts';
import { unlessStopped } from './stop-before.ts';

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
    const query = { state, ...(cursor !== undefined && { cursor }) };
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
    ...(page.missingIndex !== undefined && { missingIndex: page.missingIndex }),
    isWhole: page.next === undefined,
    ...(page.readUnits !== undefined && { readUnits: (before.readUnits ?? 0) + page.readUnits }),
    ...(oldest !== Infinity && { oldestLeaseUntil: oldest }),
  };
}
