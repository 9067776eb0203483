import type { LeaseExtension, OwnedClaim, SettleOutcome, Settlement } from '../../claims/claim-store.ts';
import type { Claim } from '../../claims/claim.ts';
import type { Clock } from '../../base/clock.ts';
import type { StopSignal } from '../../base/stop.ts';
import {
  changeOfExtension,
  changeOfSettlement,
  changeOfStart,
  isAlreadySettled,
  isOwnedBy,
} from '../../claims/transitions.ts';
import { noOutcome, type OwnedChange, type RowWriter, type WriteOutcome } from './row-writer.ts';

/** What a claim's owner needs of a database. */
export type OwnedWriter<Row> = Pick<RowWriter<Row>, 'change' | 'read' | 'toClaim'>;

export interface SettleSetup<Row> {
  readonly writer: OwnedWriter<Row>;
  /** `{ now: () => 0 }` where the database adds its own time to what is written. */
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Ends attempts: conditional on IN_PROGRESS and the attempt's own owner. The row of a refused
 * write is read, because it may be the second request of a write that was stored and whose answer was lost.
 */
export async function settleClaims<Row>(
  settlements: readonly Settlement[],
  { writer, clock }: SettleSetup<Row>,
  signal?: StopSignal,
): Promise<SettleOutcome[]> {
  const now = clock.now();
  const changes = settlements.map((settlement) => changeOf(settlement, changeOfSettlement(settlement, now)));
  return writeOwned(settlements, changes, isAlreadySettled, writer, signal);
}

/**
 * Prolongs leases, on the same condition, and on another: a lease never becomes shorter. A request that was
 * given up on and sent again may still arrive, after a later one has made the lease longer.
 */
export async function extendLeases<Row>(
  extensions: readonly LeaseExtension[],
  { writer, clock }: SettleSetup<Row>,
  signal?: StopSignal,
): Promise<SettleOutcome[]> {
  const now = clock.now();
  const changes = extensions.map((extension) => {
    const change = changeOfExtension(extension, now);
    // rule: growing-leases
    return { ...changeOf(extension, change), leaseUntilAtMost: change.leaseUntil };
  });
  return writeOwned(extensions, changes, isStillMine, writer, signal);
}

/** Notes that handlers start, on the same condition. */
export async function startClaims<Row>(
  claims: readonly OwnedClaim[],
  { writer, clock }: SettleSetup<Row>,
  signal?: StopSignal,
): Promise<SettleOutcome[]> {
  const now = clock.now();
  const changes = claims.map((claim) => changeOf(claim, changeOfStart(now)));
  return writeOwned(claims, changes, isStillMine, writer, signal);
}

/** A write that was refused over a row of its own owner's had nothing left to do: the row has it, or a longer lease. */
function isStillMine(stored: Claim, { owner }: OwnedClaim): boolean {
  return isOwnedBy(stored, owner);
}

/** Writes, and reads the rows whose writes were refused: they may show that the write was done before. */
async function writeOwned<Row, Item extends OwnedClaim>(
  items: readonly Item[],
  changes: readonly OwnedChange[],
  isMyOwnSuccess: (stored: Claim, item: Item) => boolean,
  writer: OwnedWriter<Row>,
  signal: StopSignal | undefined,
): Promise<SettleOutcome[]> {
  // rule: stored-as-written
  const writes = await writer.change(changes, signal);
  // Nearly always all are written.
  if (!writes.some(({ status }) => status === 'refused')) {
    return items.map((_, index) => settleOutcome(writes[index]));
  }
  const rows = await rowsBehindRefusals(items, writes, writer, signal);
  return items.map((item, index) => {
    const row = rows.get(index);
    if (row === undefined) return settleOutcome(writes[index]);
    if (row instanceof Error) return { error: row };
    const stored = claimIn(row, writer);
    return stored !== undefined && isMyOwnSuccess(stored, item) ? 'stored' : 'lost';
  });
}

/** For its owner alone. */
function changeOf({ key, owner }: OwnedClaim, change: OwnedChange['change']): OwnedChange {
  return { key, owner, change };
}

function settleOutcome(write: WriteOutcome<unknown> | undefined): SettleOutcome {
  if (write?.status === 'written') return 'stored';
  if (write?.status === 'refused') return 'lost';
  return { error: write?.error ?? noOutcome() };
}

/** The row of every refused write, from the refusal itself or read; nothing for rows that are gone. */
async function rowsBehindRefusals<Row>(
  items: readonly OwnedClaim[],
  writes: readonly WriteOutcome<Row>[],
  writer: OwnedWriter<Row>,
  signal: StopSignal | undefined,
): Promise<Map<number, Row | Error>> {
  const rows = new Map<number, Row | Error>();
  const unseen: number[] = [];
  writes.forEach((write, index) => {
    if (write.status !== 'refused') return;
    if (write.row === undefined) unseen.push(index);
    else rows.set(index, write.row);
  });
  if (unseen.length === 0) return rows;

  const reads = await writer.read(
    unseen.map((index) => (items[index] as OwnedClaim).key),
    signal,
  );
  unseen.forEach((index, position) => {
    const read = reads[position];
    if (read?.status === 'error') rows.set(index, read.error);
    else if (read?.row !== undefined) rows.set(index, read.row);
  });
  return rows;
}

/** Undefined for what is no claim any more, and so not ours either. */
function claimIn<Row>(row: Row, writer: OwnedWriter<Row>): Claim | undefined {
  try {
    return writer.toClaim(row);
  } catch {
    return undefined;
  }
}
